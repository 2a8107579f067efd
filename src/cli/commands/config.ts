/** `loyalty config show`: the settings of the service. */
import { Command } from "commander";
import { OperatorError } from "../../domain/operator-error.ts";
import { usageError } from "../cli-error.ts";
import type { Acting } from "../context.ts";
import { exampleText } from "../operations/examples.ts";
import { readSettings } from "../service/settings.ts";
import { tableOf } from "../terminal/table.ts";

/** @throws CliError that names every setting that is wrong */
function settingsOf(fromFile: ReadonlySet<string>) {
  try {
    return readSettings(process.env, fromFile);
  } catch (error) {
    throw error instanceof OperatorError ? usageError(error.message) : error;
  }
}

/** @param fromFile variables of the environment that come from the file .env */
export function configCommand(acting: Acting, fromFile: ReadonlySet<string>): Command {
  const show = new Command("show")
    .summary("Show every setting of the service")
    .description(
      "Shows the settings with which the service would start here: each value, and whether it comes from the environment, the " +
        "file .env, the data directory or the default. Secrets are masked.",
    )
    .addHelpText("after", exampleText(["loyalty config show", "loyalty config show --json"]))
    .action(
      acting(async (context) => {
        const { settings } = settingsOf(fromFile);
        if (context.json) return context.out.line(JSON.stringify(settings, null, 2));
        const rows = settings.map((setting) => ({ ...setting }));
        const room = Number.POSITIVE_INFINITY;
        for (const line of tableOf(["name", "value", "from"], rows, context.out, room))
          context.out.line(line);
        context.err.line("A service that is started here gets these. One that runs already may have others.");
      }),
    );
  return new Command("config").description("settings of the service: show").addCommand(show);
}
