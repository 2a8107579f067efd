/** `loyalty restore`: a backup, brought back into an empty data directory. */
import { Command } from "commander";
import { keptFiles, readManifest } from "../database/backup/files.ts";
import { restoreBackup } from "../database/backup/restore.ts";
import type { Acting } from "./context.ts";
import { embeddedDataDirectory, interruptible } from "./data-directory.ts";
import { exampleText, shellWord } from "./examples.ts";
import { byteText, numberText } from "./terminal/quantities.ts";

export function restoreCommand(acting: Acting): Command {
  return new Command("restore")
    .summary("Restore a backup into an empty data directory")
    .description(
      "Brings a backup that loyalty backup made back into the data directory, LOYALTY_DATA_DIR, which must be empty or " +
        "not be there yet. Every file is checked first. Then start the service, and run loyalty verify.",
    )
    .argument("<directory>", "The backup.")
    .addHelpText("after", exampleText(["LOYALTY_DATA_DIR=/srv/loyalty loyalty restore /backups/2026-05-01"]))
    .action(
      acting(async (context, _options, [source = ""]) => {
        const dataDirectory = embeddedDataDirectory(process.env, "loyalty restore");
        const restored = await interruptible((signal) => restoreBackup({ source, dataDirectory, signal }));
        const { files } = await readManifest(source);
        const bytes = files.reduce((sum, { size }) => sum + size, 0);
        if (context.json) {
          const { madeAt, missing } = restored;
          const answer = { data_directory: restored.dataDirectory, made_at: madeAt, missing };
          return context.out.line(JSON.stringify({ ...answer, files: files.length, bytes }));
        }
        const secrets = keptFiles.filter((name) => files.some(({ path }) => path === name));
        const contents = [`${numberText(files.length)} files`, byteText(bytes), ...secrets].join(", ");
        context.out.line(`Restored into ${restored.dataDirectory}, as of ${restored.madeAt}: ${contents}.`);
        for (const name of restored.missing) {
          context.err.line(
            `The backup has no ${name}: set the one that the service had, or a new one is made.`,
          );
        }
        const here = `LOYALTY_DATA_DIR=${shellWord(restored.dataDirectory)} loyalty`;
        context.out.line(`Start the service: ${here} serve`);
        context.out.line(`Then check the ledger: ${here} verify`);
      }),
    );
}
