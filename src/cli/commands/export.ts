/** `loyalty export`: all rows of a table, page by page, as CSV or with one JSON object on each line. */
import { type Command, Option } from "commander";
import type { Operation } from "../../contract/operation.ts";
import { csvLine } from "../../domain/csv.ts";
import { maximumExportRows } from "../../operations/exports.ts";
import { exportCodesOperation } from "../../operations/operator/exports/codes.ts";
import { exportMembersOperation } from "../../operations/operator/exports/members.ts";
import { exportSalesOperation } from "../../operations/operator/exports/sales.ts";
import { exportTransactions } from "../../operations/operator/exports/transactions.ts";
import { exportVouchersOperation } from "../../operations/operator/exports/vouchers.ts";
import { type Context, type Options, ServiceCommand } from "../command.ts";
import { createDraft } from "../files.ts";
import { addField, businessOption } from "../operations/field-options.ts";
import { chooseBusiness } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import { exitCodes } from "../terminal/cli-error.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Row } from "../terminal/table.ts";
import { printable, startProgress } from "../terminal/terminal.ts";
import { exportBusinessCommand } from "./backup.ts";

const operations = [
  exportTransactions,
  exportSalesOperation,
  exportMembersOperation,
  exportVouchersOperation,
  exportCodesOperation,
];

/** The name of the exported rows in the path and in the response. */
const rowsOf = ({ path }: Operation) => path.split("/").at(-1) as string;

export function exportCommand(): Command {
  const names = operations.map(rowsOf).join(", ");
  const group = new ServiceCommand("export").description(`write files: ${names}, business`);
  for (const operation of operations) group.addCommand(rowsCommand(operation));
  return group.addCommand(exportBusinessCommand());
}

function rowsCommand(operation: Operation): Command {
  const name = rowsOf(operation);
  const columns = exportedColumns(operation).join(", ");
  const command = new ServiceCommand(name)
    .summary(operation.summary)
    .description(`Writes the ${name} of a business in full to standard output or a file: ${columns}.`)
    .requires(operation);
  return addField(command, "business_id", "found")
    .addOption(
      new Option("--format <format>", "The format of the file.").choices(["csv", "ndjson"]).default("csv"),
    )
    .option(
      "--exact",
      "Leave all text in CSV unchanged. Without this option, a ' stands before text that a spreadsheet would run as a " +
        "formula (= + - @), also after a semicolon.",
    )
    .option("--output <file>", "The file to write. It appears only when it is complete.")
    .examples(
      `loyalty export ${name} --business 1 --output ${name}.csv`,
      `loyalty export ${name} --business 1 --format ndjson | gzip > ${name}.ndjson.gz`,
    )
    .act((context, options) => exportRows(context, operation, options));
}

async function exportRows(context: Context, operation: Operation, options: Options): Promise<void> {
  const { json, out, err } = context;
  const name = rowsOf(operation);
  const columns = exportedColumns(operation);
  const client = await context.client();
  const businessId = businessOption(options) ?? (await chooseBusiness(client));
  // The draft of the file is removed when the process exits.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => process.exit(exitCodes.interrupted));
  }
  const file = options.output as string | undefined;
  const draft = file === undefined ? undefined : await createDraft(file);
  const exact = options.exact === true;
  const lineOf = (row: Row) =>
    options.format === "csv"
      ? `${csvLine(
          columns.map((column) => row[column]),
          { exact },
        )}\n`
      : `${JSON.stringify(row)}\n`;
  const progress = startProgress(err, name);
  let count = 0;
  try {
    // The header is written with the first page, so that a rejection writes nothing.
    let header = options.format === "csv" ? `${csvLine(columns)}\n` : "";
    for await (const page of readExport(client, operation, businessId)) {
      await (draft ?? out).write(header + page.map(lineOf).join(""));
      header = "";
      count += page.length;
      progress.at(count, undefined);
    }
    await draft?.finish();
  } finally {
    progress.end();
    await draft?.discard();
  }
  const counted = `${numberText(count)} ${name}`;
  if (file === undefined) {
    if (err.interactive) err.line(`${counted}.`);
  } else if (json) out.line(JSON.stringify({ file, [name]: count }));
  else out.line(`Wrote ${counted} to ${printable(file)}.`);
}

function exportedColumns(operation: Operation): string[] {
  type Schema = { readonly properties: Record<string, { readonly items: Schema }> };
  const list = (operation.output as unknown as Schema).properties[rowsOf(operation)];
  return Object.keys(list?.items.properties ?? {});
}

/** Reads each page while the previous one is written. */
async function* readExport(
  client: OperatorClient,
  operation: Operation,
  business_id: number,
): AsyncGenerator<readonly Row[]> {
  const after = Object.keys(operation.input.properties).find((field) => field.startsWith("after_")) as string;
  const ask = (key: number) => {
    const body = { business_id, [after]: key, limit: maximumExportRows };
    const asked = client.call<Record<string, unknown>>(operation.path, body);
    // A failure is reported where the page is awaited. Without a reader, it doesn't matter.
    asked.catch(() => undefined);
    return asked;
  };
  for (let asked: ReturnType<typeof ask> | undefined = ask(0); asked !== undefined; ) {
    const { data } = await asked;
    const next = data[`next_${after}`] as number | null;
    asked = next === null ? undefined : ask(next);
    yield data[rowsOf(operation)] as readonly Row[];
  }
}
