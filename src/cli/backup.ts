/** `loyalty backup`: a copy of the embedded database and its secrets, while the service runs or when it does not. */
import { Command } from "commander";
import { makeBackup } from "../database/backup/make.ts";
import type { Acting } from "./context.ts";
import { embeddedDataDirectory, interruptible } from "./data-directory.ts";
import { exampleText } from "./examples.ts";
import { byteText, numberText } from "./terminal/quantities.ts";

export function backupCommand(acting: Acting): Command {
  return new Command("backup")
    .summary("Back up the database that the service runs itself")
    .description(
      "Copies the database of the data directory, with the service's secrets, into a new directory. The service may " +
        "be running: what was acknowledged before the backup began is in it. Run it on the machine of the service, " +
        "as the service's user, with its LOYALTY_DATA_DIR. The directory holds members' data and secrets, so guard " +
        "it as the data directory itself. With DATABASE_URL, use the tools of your PostgreSQL: pg_basebackup, pg_dump.",
    )
    .argument("<directory>", "Where to make the backup; it must not be there yet, or be empty.")
    .addHelpText("after", exampleText(["loyalty backup /backups/$(date +%F)"]))
    .action(
      acting(async (context, _options, [target = ""]) => {
        const dataDirectory = embeddedDataDirectory(process.env, "loyalty backup");
        const onProgress = (line: string) => context.err.line(line);
        const backup = await interruptible((signal) =>
          makeBackup({ dataDirectory, target, onProgress, signal }),
        );
        if (context.json) {
          const { madeAt, files, bytes, missing } = backup;
          return context.out.line(JSON.stringify({ made_at: madeAt, files, bytes, missing }));
        }
        context.out.line(
          `Backed up to ${target}: ${numberText(backup.files)} files, ${byteText(backup.bytes)}, as of ${backup.madeAt}.`,
        );
        for (const name of backup.missing) {
          context.err.line(
            `It has no ${name}: the data directory has none. Keep the one that you set yourself.`,
          );
        }
      }),
    );
}
