/** `loyalty export business` and `loyalty import business`: a business with all that belongs to it, between services. */
import { Argument, Command } from "commander";
import { importBusiness } from "../../database/backup/import-business.ts";
import { makeBackup } from "../../database/backup/make.ts";
import { summaryOf } from "../../database/backup/manifest.ts";
import { exportMembersOperation } from "../../operations/operator/exports/members.ts";
import type { Acting } from "../context.ts";
import { exampleText } from "../operations/examples.ts";
import { type FieldSchema, fieldOption } from "../operations/field-options.ts";
import { businessOption, chooseBusiness } from "../service/choose-business.ts";
import { interruptible, placeOf } from "../service/data-directory.ts";
import { startProgress } from "../terminal/progress.ts";
import { contentText } from "./backup.ts";

/** @param version of the service, which the export records */
export function exportBusinessCommand(acting: Acting, version: string): Command {
  const { business_id } = exportMembersOperation.input.properties as Record<string, FieldSchema>;
  const command = new Command("business")
    .summary("Export a business with all that belongs to it")
    .description(
      "Writes all rows of a business, as of one moment, to a new directory: settings, members with their password hashes, " +
        "ledger, sales, integrations with the hashes of their secrets, kept responses and audit log. Import it into " +
        "another service with loyalty import business. The service may be running. It reads the database, like loyalty backup. " +
        "The directory holds members' data, so guard it like a backup.",
    )
    .addArgument(new Argument("<directory>", "A directory that does not exist yet or is empty."));
  for (const option of fieldOption("business_id", business_id as FieldSchema, "found").options) {
    command.addOption(option);
  }
  return command
    .addHelpText("after", exampleText(["loyalty export business /exports/aurora --business 2"]))
    .action(
      acting(async (context, options, [target = ""]) => {
        const businessId = businessOption(options) ?? (await chooseBusiness(await context.client()));
        const progress = startProgress(context.err, "rows");
        const { manifest } = await interruptible((signal) =>
          makeBackup({
            ...placeOf(process.env),
            target,
            businessId,
            productVersion: version,
            onProgress: context.err.line,
            onRows: (rows) => progress.at(rows, undefined),
            signal,
          }),
        ).finally(() => progress.end());
        const { made_at, schema_version, files, rows, bytes } = summaryOf(manifest);
        const { business } = manifest;
        if (context.json) {
          return context.out.line(
            JSON.stringify({ ...business, made_at, schema_version, files, rows, bytes }),
          );
        }
        context.out.line(
          `Exported ${business?.name} to ${target}: ${contentText(manifest)}, as of ${made_at}.`,
        );
      }),
    );
}

export function importBusinessCommand(acting: Acting): Command {
  return new Command("business")
    .summary("Import a business that was exported")
    .description(
      "Adds a business that loyalty export business wrote, as a new business with the same ledger, members and integrations. " +
        "Contact ids and all other ids stay, but the business and its integrations get new ones. Partners go on with their " +
        "client_id and client_secret. Both services must have the same schema version. The service may be running. If an " +
        "import fails, nothing is imported.",
    )
    .addArgument(new Argument("<directory>", "The exported business."))
    .addHelpText("after", exampleText(["loyalty import business /exports/aurora"]))
    .action(
      acting(async (context, _options, [source = ""]) => {
        const progress = startProgress(context.err, "rows");
        const { manifest, businessId } = await interruptible((signal) =>
          importBusiness({
            ...placeOf(process.env),
            source,
            onProgress: (line) => {
              progress.end();
              context.err.line(line);
            },
            onRows: (rows, all) => progress.at(rows, rows / all),
            signal,
          }),
        ).finally(() => progress.end());
        const { made_at, rows } = summaryOf(manifest);
        const name = manifest.business?.name;
        if (context.json) {
          return context.out.line(JSON.stringify({ business_id: businessId, name, made_at, rows }));
        }
        context.out.line(
          `Imported ${name} as business ${businessId}: ${contentText(manifest)}, as of ${made_at}.`,
        );
        context.out.line(`Check its ledger: loyalty verify --business ${businessId}`);
      }),
    );
}
