/** `loyalty restore`: brings a backup back into an empty database. */
import { resolve } from "node:path";
import { Command } from "commander";
import { keptFiles, summaryOf } from "../../database/backup/manifest.ts";
import { restoreBackup } from "../../database/backup/restore.ts";
import type { Acting } from "../context.ts";
import { exampleText, shellWord } from "../operations/examples.ts";
import { interruptible, placeOf } from "../service/data-directory.ts";
import { startProgress } from "../terminal/progress.ts";
import { contentText } from "./backup.ts";

export function restoreCommand(acting: Acting): Command {
  return new Command("restore")
    .summary("Restore a backup into an empty database")
    .description(
      "Restores a backup. With DATABASE_URL it goes into that database, which must have no tables of the service, " +
        "otherwise into the data directory LOYALTY_DATA_DIR, which must be empty or not exist. Every file is checked " +
        "first. If a restore fails, nothing is restored. Then start the service, and run loyalty verify.",
    )
    .argument("<directory>", "The backup.")
    .addHelpText("after", exampleText(["LOYALTY_DATA_DIR=/srv/loyalty loyalty restore /backups/2026-05-01"]))
    .action(
      acting(async (context, _options, [source = ""]) => {
        const place = placeOf(process.env);
        const progress = startProgress(context.err, "rows");
        const { manifest, dataDirectory } = await interruptible((signal) =>
          restoreBackup({
            ...place,
            source,
            onProgress: (line) => {
              progress.end();
              context.err.line(line);
            },
            onRows: (rows, all) => progress.at(rows, rows / all),
            signal,
          }),
        ).finally(() => progress.end());
        const summary = summaryOf(manifest);
        const own = place.databaseUrl !== undefined;
        if (context.json) {
          const where = own ? {} : { data_directory: dataDirectory };
          return context.out.line(JSON.stringify({ ...where, ...summary }));
        }
        const kept = keptFiles.filter((name) => manifest.files.some(({ path }) => path === name));
        const where = own ? "the database of DATABASE_URL" : dataDirectory;
        const contents = [contentText(manifest), ...(own ? [] : kept)].join(", ");
        context.out.line(`Restored into ${where}, as of ${summary.made_at}: ${contents}.`);
        for (const name of summary.missing) {
          const otherwise = own ? "" : ", or a new one is made";
          context.err.line(`The backup has no ${name}: set the one that the service had${otherwise}.`);
        }
        const setting = (name: (typeof keptFiles)[number], variable: string) =>
          kept.includes(name) ? [`${variable}="$(cat ${shellWord(resolve(source, name))})"`] : [];
        const key = own
          ? setting("operator.key", "LOYALTY_OPERATOR_KEY")
          : [`LOYALTY_DATA_DIR=${shellWord(dataDirectory)}`];
        const secret = own ? setting("secret", "LOYALTY_SECRET") : [];
        context.out.line(`Start the service: ${[...secret, ...key, "loyalty serve"].join(" ")}`);
        context.out.line(`Then check the ledger: ${[...key, "loyalty verify"].join(" ")}`);
      }),
    );
}
