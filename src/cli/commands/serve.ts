/** `loyalty serve`: becomes the service. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Command, Option } from "commander";
import { packageRoot } from "../../package.ts";
import { exampleText } from "../operations/examples.ts";

export function serveCommand(): Command {
  return new Command("serve")
    .summary("Start the service")
    .description(
      "Starts the service and runs it until Ctrl-C or SIGTERM. Without DATABASE_URL it runs a PostgreSQL of its own " +
        "in the data directory. Everything is configured by environment variables or a file .env in this directory.",
    )
    .addOption(
      new Option(
        "--demo",
        "With DATABASE_URL: make the demo business, if the database holds no business yet.",
      ),
    )
    .addHelpText(
      "after",
      exampleText(["loyalty serve", "PORT=9090 LOYALTY_DATA_DIR=/srv/loyalty loyalty serve"]),
    )
    .action(({ demo }: { demo?: boolean }) => serve(demo === true ? ["--demo"] : []));
}

/**
 * Goes on as the service's own program, in this process: signals reach it, and its workers are started from the
 * same program. It is no part of the command line, so it is not imported but run.
 */
async function serve(options: readonly string[]): Promise<void> {
  const program = join(packageRoot, "dist/main.js");
  process.argv = [process.argv[0] as string, program, ...options];
  await import(pathToFileURL(program).href);
}
