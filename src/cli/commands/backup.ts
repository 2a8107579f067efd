/** `loyalty backup` and `restore`, and the same for one business: `loyalty export business` and `import business`. */
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { Progress } from "../../backup/copy.ts";
import { importBusiness } from "../../backup/import-business.ts";
import { makeBackup } from "../../backup/make.ts";
import { keptOf, listBackups, type Manifest, summaryOf, verifyBackup } from "../../backup/manifest.ts";
import { restoreBackup } from "../../backup/restore.ts";
import { OperatorError } from "../../domain/access/operator-error.ts";
import { version } from "../../package.ts";
import { type Context, type GlobalOptions, type Options, ServiceCommand, shellWord } from "../command.ts";
import { addField, businessOption } from "../operations/field-options.ts";
import { chooseBusiness } from "../service/businesses.ts";
import { placeOf } from "../service/connection.ts";
import { CliError, exitCodes } from "../terminal/cli-error.ts";
import { byteText, numberText } from "../terminal/quantities.ts";
import { tableLines } from "../terminal/table.ts";
import { printable, startProgress } from "../terminal/terminal.ts";

export function backupCommand(): Command {
  return new ServiceCommand("backup")
    .summary("Back up the database and the secrets of the service")
    .description(
      "Copies all tables, as of one moment, and the secrets in the data directory into a new directory. The service may " +
        "be running. With DATABASE_URL, it backs up that database. Otherwise, it backs up the one in LOYALTY_DATA_DIR; " +
        "run it on the machine of the service, as its user. The backup contains members' data and secrets, so protect " +
        "it like the data directory.",
    )
    .argument("<directory>", "The backup to make: a directory that does not exist yet or is empty.")
    .option(
      "--keep <n>",
      "Keep the n newest backups in the parent directory, and remove the others.",
      parseCount,
    )
    .examples("loyalty backup /backups/$(date +%F)", "loyalty backup list /backups")
    .addCommand(verifyBackupCommand())
    .addCommand(listCommand())
    .act(async (context, options: Options & GlobalOptions, [target = ""]) => {
      const { manifest, removed } = await interruptible(context, "rows", (progress) =>
        makeBackup({
          ...placeOf(options),
          ...progress,
          target,
          productVersion: version,
          keep: options.keep as number | undefined,
        }),
      );
      const summary = summaryOf(manifest);
      if (context.json) return context.out.line(JSON.stringify({ ...summary, removed }));
      context.out.line(`Backed up to ${target}: ${contentText(manifest)}.`);
      for (const name of summary.missing) {
        context.err.line(
          `The backup does not contain ${name}, because the data directory has none. Keep the one that you set yourself.`,
        );
      }
      for (const name of removed) context.out.line(`Removed the older backup ${name}.`);
    });
}

function verifyBackupCommand(): Command {
  return new ServiceCommand("verify")
    .summary("Check the files of a backup")
    .description("Compares every file of a backup with the size and the SHA-256 in its manifest.")
    .argument("<directory>", "The backup.")
    .examples("loyalty backup verify /backups/2026-05-01")
    .act(async (context, _options, [source = ""]) => {
      const manifest = await interruptible(context, "bytes", ({ signal, onRows: onBytes }) =>
        verifyBackup(source, signal, onBytes),
      );
      if (context.json) return context.out.line(JSON.stringify(summaryOf(manifest)));
      context.out.line(
        `The backup is complete: ${contentText(manifest)}, made by version ` +
          `${manifest.product_version} with schema version ${manifest.schema_version}.`,
      );
    });
}

function listCommand(): Command {
  return new ServiceCommand("list")
    .summary("List the backups in a directory")
    .description("Lists the backups in a directory, newest first. It does not check their files.")
    .argument("<directory>", "The directory that contains the backups.")
    .examples("loyalty backup list /backups")
    .act(async (context, _options, [directory = ""]) => {
      const found = await interruptible(context, "backups", () => listBackups(directory));
      const backups = found.map(({ name, manifest }) => ({ name, ...summaryOf(manifest) }));
      if (context.json) return context.out.line(JSON.stringify(backups));
      if (backups.length === 0) return context.out.line(`No backups found in ${directory}.`);
      const rows = backups.map((backup) => ({ ...backup, size: byteText(backup.bytes) }));
      const columns = ["name", "made_at", "size", "schema_version", "product_version"];
      for (const line of tableLines(columns, rows, context.out)) context.out.line(line);
    });
}

export function restoreCommand(): Command {
  return new ServiceCommand("restore")
    .summary("Restore a backup into an empty database")
    .description(
      "Restores a backup. With DATABASE_URL, it restores into that database, which must have no tables of the service. " +
        "Otherwise, it restores into the data directory LOYALTY_DATA_DIR, which must be empty or not exist. It checks " +
        "every file first. If a restore fails, nothing is restored. Then start the service, and run loyalty verify.",
    )
    .argument("<directory>", "The backup.")
    .option(
      "--copy",
      "The service that was backed up still runs, so disable all webhook endpoints: partners would get events of both.",
    )
    .examples(
      "LOYALTY_DATA_DIR=/srv/loyalty loyalty restore /backups/2026-05-01",
      "LOYALTY_DATA_DIR=/srv/trial loyalty restore /backups/2026-05-01 --copy",
    )
    .act(restore);
}

async function restore(context: Context, options: Options & GlobalOptions, [source = ""]: readonly string[]) {
  const place = placeOf(options);
  const { manifest, dataDirectory, endpoints } = await interruptible(context, "rows", (progress) =>
    restoreBackup({ ...place, ...progress, source, isCopy: options.copy === true }),
  );
  const summary = summaryOf(manifest);
  const own = place.databaseUrl !== undefined;
  if (context.json) {
    const where = own ? {} : { data_directory: dataDirectory };
    return context.out.line(JSON.stringify({ ...where, ...summary }));
  }
  const kept = keptOf(manifest);
  const where = own ? "the database of DATABASE_URL" : dataDirectory;
  const contents = [sizeText(manifest), ...(own ? [] : kept)].join(", ");
  context.out.line(`Restored into ${where}, as of ${summary.made_at}: ${contents}.`);
  for (const name of summary.missing) {
    const otherwise = own ? "" : ", or a new one is made";
    context.err.line(`The backup has no ${name}. Set the one that the service had${otherwise}.`);
  }
  if (endpoints > 0) {
    context.err.line(
      `${numberText(endpoints)} webhook endpoints get events as soon as the service starts. If the other service still runs, ` +
        "restore with --copy instead.",
    );
  }
  const setting = (name: (typeof kept)[number], variable: string) =>
    kept.includes(name) ? [`${variable}="$(cat ${shellWord(resolve(source, name))})"`] : [];
  const key = own
    ? setting("operator.key", "LOYALTY_OPERATOR_KEY")
    : [`LOYALTY_DATA_DIR=${shellWord(dataDirectory)}`];
  const secret = own ? setting("secret", "LOYALTY_SECRET") : [];
  context.out.line(`Start the service: ${[...secret, ...key, "loyalty serve"].join(" ")}`);
  context.out.line(`Then check the ledger: ${[...key, "loyalty verify"].join(" ")}`);
}

export function exportBusinessCommand(): Command {
  const command = new ServiceCommand("business")
    .summary("Export a business with all its data")
    .description(
      "Writes all rows of a business, as of one moment, to a new directory: settings, members with their password hashes, " +
        "ledger, sales, integrations with the hashes of their secrets, kept responses and audit log. Import it into " +
        "another service with loyalty import business. The service may be running. It reads the database, like loyalty " +
        "backup. The directory contains members' data, so protect it like a backup.",
    )
    .argument("<directory>", "A directory that does not exist yet or is empty.");
  return addField(command, "business_id", "found")
    .examples("loyalty export business /exports/aurora --business 2")
    .act(async (context, options: Options & GlobalOptions, [target = ""]) => {
      const businessId = businessOption(options) ?? (await chooseBusiness(await context.client()));
      const { manifest } = await interruptible(context, "rows", (progress) =>
        makeBackup({ ...placeOf(options), ...progress, target, businessId, productVersion: version }),
      );
      const { made_at, schema_version, files, rows, bytes } = summaryOf(manifest);
      const { business } = manifest;
      if (context.json) {
        const summary = { ...business, made_at, schema_version, files, rows, bytes };
        return context.out.line(JSON.stringify(summary));
      }
      context.out.line(`Exported ${business?.name} to ${target}: ${contentText(manifest)}.`);
    });
}

export function importBusinessCommand(): Command {
  return new ServiceCommand("business")
    .summary("Import a business that was exported")
    .description(
      "Adds a business that loyalty export business wrote, as a new business with the same ledger, members and integrations. " +
        "The business and its integrations get new ids. All other ids, such as contact ids, stay the same. Partners " +
        "keep their client_id and client_secret. Its webhook endpoints are disabled, because the other service may still send. " +
        "Both services must have the same schema version. The service may be running. If an import fails, nothing is imported.",
    )
    .argument("<directory>", "The exported business.")
    .examples("loyalty import business /exports/aurora")
    .act(async (context, options: Options & GlobalOptions, [source = ""]) => {
      const { manifest, businessId, disabledEndpoints, endsPages } = await interruptible(
        context,
        "rows",
        (progress) => importBusiness({ ...placeOf(options), ...progress, source }),
      );
      const { made_at, rows } = summaryOf(manifest);
      const name = manifest.business?.name;
      if (context.json) {
        const imported = { business_id: businessId, name, made_at, rows };
        return context.out.line(
          JSON.stringify({ ...imported, disabled_webhook_endpoints: disabledEndpoints }),
        );
      }
      context.out.line(
        `Imported ${printable(name ?? "")} as business ${businessId}: ${contentText(manifest)}.`,
      );
      if (disabledEndpoints > 0) {
        context.out.line(
          `Its webhook endpoints are disabled: ${numberText(disabledEndpoints)}. When the other service does not send any more: ` +
            `loyalty webhook list --business ${businessId}, and loyalty webhook enable ID --from stopped`,
        );
      }
      if (endsPages) {
        context.out.line(
          "The addresses of members' pages and the passes in wallets of phones are not valid here: give members new addresses, and set " +
            "up passes again.",
        );
      }
      context.out.line(`Check its ledger: loyalty verify --business ${businessId}`);
    });
}

/** Runs work that shows its progress, and that Ctrl-C ends. @throws CliError for a failure that the operator can fix */
export async function interruptible<Result>(
  { err }: Context,
  unit: string,
  act: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  const progress = startProgress(err, unit);
  let last = "";
  try {
    return await act({
      signal: controller.signal,
      onProgress: (line) => {
        // A wait is told as long as it lasts.
        if (line === last) return;
        last = line;
        progress.end();
        err.line(line);
      },
      onRows: (count, all) => progress.at(count, all === 0 ? undefined : count / all),
    });
  } catch (error) {
    if (controller.signal.aborted) throw new CliError(exitCodes.interrupted, "Interrupted.");
    throw error instanceof OperatorError ? new CliError(exitCodes.failed, error.message) : error;
  } finally {
    progress.end();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  }
}

function sizeText(manifest: Manifest): string {
  const { files, rows, bytes } = summaryOf(manifest);
  return `${numberText(files)} files, ${numberText(rows)} rows, ${byteText(bytes)}`;
}

function contentText(manifest: Manifest): string {
  return `${sizeText(manifest)}, as of ${manifest.made_at}`;
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
