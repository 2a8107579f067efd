/** `loyalty key rotate`: a new operator key. */
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Command, Option } from "commander";
import { usageError } from "../cli-error.ts";
import { acting } from "../context.ts";
import { createDraft } from "../files.ts";
import { exampleText } from "../operations/examples.ts";
import { dataDirectoryOf } from "../service/environment.ts";
import { confirm } from "../terminal/confirm.ts";

export function keyCommand(): Command {
  const rotate = new Command("rotate")
    .summary("Replace the operator key")
    .description(
      "Writes a new operator key to operator.key in the data directory, in the place of the old one. The service takes it at its " +
        "next start: restart it at once, because until then it accepts the old key only.",
    )
    .addOption(new Option("--yes", "Do it without asking."))
    .addHelpText("after", exampleText(["loyalty key rotate", "loyalty key rotate --yes"]))
    .action(
      acting(async (context, { yes }) => {
        if (process.env.LOYALTY_OPERATOR_KEY?.trim()) {
          throw usageError(
            "The operator key is set by LOYALTY_OPERATOR_KEY: replace it there.",
            `A new one: node -p "crypto.randomBytes(48).toString('base64url')"`,
            "Then restart the service.",
          );
        }
        const file = join(dataDirectoryOf(process.env), "operator.key");
        const found = await stat(file).catch(() => undefined);
        if (found === undefined) {
          throw usageError(
            `${file} does not exist: set LOYALTY_DATA_DIR to the data directory of the service.`,
          );
        }
        if (yes !== true) {
          await confirm(
            `Replace the operator key in ${file}`,
            "The old key stops working at the next start.",
          );
        }
        const draft = await createDraft(file);
        try {
          await draft.write(`${randomBytes(48).toString("base64url")}\n`);
          await draft.finish();
        } finally {
          await draft.discard();
        }
        if (context.json) return context.out.line(JSON.stringify({ file }));
        context.out.line(`A new operator key is in ${file}. Restart the service to use it.`);
      }),
    );
  return new Command("key").description("the operator key: rotate").addCommand(rotate);
}
