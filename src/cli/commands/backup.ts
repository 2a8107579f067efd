/** `loyalty backup`: makes backups of the database and the secrets of the service, checks them and lists them. */
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { makeBackup } from "../../database/backup/make.ts";
import { listBackups, type Manifest, summaryOf, verifyBackup } from "../../database/backup/manifest.ts";
import type { Acting } from "../context.ts";
import { exampleText } from "../operations/examples.ts";
import { interruptible, placeOf } from "../service/data-directory.ts";
import { startProgress } from "../terminal/progress.ts";
import { byteText, numberText } from "../terminal/quantities.ts";
import { tableOf } from "../terminal/table.ts";

/** @param version of the service, which a backup records */
export function backupCommand(acting: Acting, version: string): Command {
  return new Command("backup")
    .summary("Back up the database and the secrets of the service")
    .description(
      "Copies all tables, as of one moment, and the secrets in the data directory into a new directory. The service may " +
        "be running. With DATABASE_URL it backs up that database, otherwise the one in LOYALTY_DATA_DIR: run it then on " +
        "the machine of the service, as its user. The directory holds members' data and secrets, so guard it like the " +
        "data directory.",
    )
    .addArgument(
      new Argument("<directory>", "The backup to make: a directory that does not exist yet or is empty."),
    )
    .addOption(
      new Option(
        "--keep <n>",
        "Keep the n newest backups of the directory above, and remove the others.",
      ).argParser(wholeNumber),
    )
    .addHelpText(
      "after",
      exampleText(["loyalty backup /backups/$(date +%F)", "loyalty backup list /backups"]),
    )
    .addCommand(verifyCommand(acting))
    .addCommand(listCommand(acting))
    .action(
      acting(async (context, { keep }, [target = ""]) => {
        const progress = startProgress(context.err, "rows");
        const { manifest, removed } = await interruptible((signal) =>
          makeBackup({
            ...placeOf(process.env),
            target,
            productVersion: version,
            keep: keep as number | undefined,
            onProgress: context.err.line,
            onRows: (rows, all) => progress.at(rows, all === 0 ? undefined : rows / all),
            signal,
          }),
        ).finally(() => progress.end());
        const summary = summaryOf(manifest);
        if (context.json) return context.out.line(JSON.stringify({ ...summary, removed }));
        context.out.line(`Backed up to ${target}: ${contentText(manifest)}, as of ${summary.made_at}.`);
        for (const name of summary.missing) {
          context.err.line(
            `It has no ${name}: the data directory has none. Keep the one that you set yourself.`,
          );
        }
        for (const name of removed) context.out.line(`Removed the older backup ${name}.`);
      }),
    );
}

function verifyCommand(acting: Acting): Command {
  return new Command("verify")
    .summary("Check the files of a backup")
    .description("Compares every file of a backup with the size and the SHA-256 in its manifest.")
    .addArgument(new Argument("<directory>", "The backup."))
    .addHelpText("after", exampleText(["loyalty backup verify /backups/2026-05-01"]))
    .action(
      acting(async (context, _options, [source = ""]) => {
        const progress = startProgress(context.err, "bytes");
        const manifest = await interruptible((signal) =>
          verifyBackup(source, signal, (bytes, all) => progress.at(bytes, bytes / all)),
        ).finally(() => progress.end());
        if (context.json) return context.out.line(JSON.stringify(summaryOf(manifest)));
        context.out.line(
          `The backup is complete: ${contentText(manifest)}, as of ${manifest.made_at}, made by version ` +
            `${manifest.product_version} with schema version ${manifest.schema_version}.`,
        );
      }),
    );
}

function listCommand(acting: Acting): Command {
  return new Command("list")
    .summary("List the backups in a directory")
    .description("Lists the backups in a directory, newest first. It does not check their files.")
    .addArgument(new Argument("<directory>", "The directory that contains the backups."))
    .addHelpText("after", exampleText(["loyalty backup list /backups"]))
    .action(
      acting(async (context, _options, [directory = ""]) => {
        const backups = (await interruptible(() => listBackups(directory))).map(({ name, manifest }) => ({
          name,
          ...summaryOf(manifest),
        }));
        if (context.json) return context.out.line(JSON.stringify(backups));
        if (backups.length === 0) return context.out.line(`No backups found in ${directory}.`);
        const rows = backups.map((backup) => ({ ...backup, size: byteText(backup.bytes) }));
        const columns = ["name", "made_at", "size", "schema_version", "product_version"];
        for (const line of tableOf(columns, rows, context.out)) context.out.line(line);
      }),
    );
}

/** Says how much a backup holds. */
export function contentText(manifest: Manifest): string {
  const { files, rows, bytes } = summaryOf(manifest);
  return `${numberText(files)} files, ${numberText(rows)} rows, ${byteText(bytes)}`;
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
