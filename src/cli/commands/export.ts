/** `loyalty export`: everything of one kind, page by page by key, as CSV or as a JSON object a line. */
import { Command, Option } from "commander";
import type { Operation } from "../../contract/operation.ts";
import { maximumExportRows } from "../../operations/exports.ts";
import { exportMembersOperation } from "../../operations/operator/exports/members.ts";
import { exportSalesOperation } from "../../operations/operator/exports/sales.ts";
import { exportTransactions } from "../../operations/operator/exports/transactions.ts";
import { exitCodes } from "../cli-error.ts";
import { acting, type Context, exampleText, type Options } from "../command.ts";
import { createDraft, csvLine, withoutFormula } from "../files.ts";
import { addField } from "../operations/field-options.ts";
import { businessOption, chooseBusiness } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Row } from "../terminal/table.ts";
import { printable, startProgress } from "../terminal/terminal.ts";
import { exportBusinessCommand } from "./backup.ts";

interface Exported {
  readonly operation: Operation;
  /** The field of a response that has its rows. */
  readonly rows: string;
  /** The request field that names the last row read; the response has it with the prefix next_. */
  readonly after: string;
}

const kinds: Readonly<Record<string, Exported>> = {
  transactions: { operation: exportTransactions, rows: "transactions", after: "after_entry_no" },
  sales: { operation: exportSalesOperation, rows: "sales", after: "after_sale_id" },
  members: { operation: exportMembersOperation, rows: "members", after: "after_member_id" },
};

export function exportCommand(): Command {
  const group = new Command("export").description(`write files: ${Object.keys(kinds).join(", ")}, business`);
  for (const [name, exported] of Object.entries(kinds)) group.addCommand(kindCommand(name, exported));
  return group.addCommand(exportBusinessCommand());
}

function kindCommand(name: string, exported: Exported): Command {
  const command = new Command(name)
    .summary(exported.operation.summary)
    .description(
      `Writes the ${name} of a business in full to standard output or a file: ${columnsOf(exported).join(", ")}.`,
    );
  return addField(command, "business_id", "found")
    .addOption(new Option("--format <format>", "How to write it.").choices(["csv", "ndjson"]).default("csv"))
    .option(
      "--exact",
      "CSV with all text as it is; otherwise a ' comes before what a spreadsheet would run as a formula (= + - @).",
    )
    .option("--output <file>", "A file to write to; it is there only once it is whole.")
    .addHelpText(
      "after",
      exampleText([
        `loyalty export ${name} --business 1 --output ${name}.csv`,
        `loyalty export ${name} --business 1 --format ndjson | gzip > ${name}.ndjson.gz`,
      ]),
    )
    .action(acting((context, options) => exportRows(context, exported, options)));
}

async function exportRows(context: Context, exported: Exported, options: Options): Promise<void> {
  const { json, out, err } = context;
  const { rows } = exported;
  const client = await context.client();
  const businessId = businessOption(options) ?? (await chooseBusiness(client));
  const progress = startProgress(err, rows);
  let count = 0;
  async function* texts(): AsyncGenerator<string> {
    const columns = columnsOf(exported);
    const textOf = options.exact ? (value: unknown) => value : withoutFormula;
    // Not before the first page: a refusal leaves no header behind.
    let header = options.format === "csv" ? csvLine(columns) : "";
    for await (const page of readPages(client, exported, businessId)) {
      const lines = page.map((row) =>
        options.format === "csv"
          ? csvLine(columns.map((name) => textOf(row[name])))
          : `${JSON.stringify(row)}\n`,
      );
      yield header + lines.join("");
      header = "";
      count += page.length;
      progress.at(count, undefined);
    }
  }
  const file = options.output as string | undefined;
  try {
    if (file !== undefined) await writeFile(file, texts());
    else for await (const text of texts()) await out.write(text);
  } finally {
    progress.end();
  }
  const counted = `${numberText(count)} ${rows}`;
  if (file === undefined) {
    if (err.interactive) err.line(`${counted}.`);
  } else if (json) out.line(JSON.stringify({ file, [rows]: count }));
  else out.line(`Wrote ${counted} to ${printable(file)}.`);
}

function columnsOf({ operation, rows }: Exported): string[] {
  type Schema = { readonly properties: Record<string, { readonly items: Schema }> };
  const list = (operation.output as unknown as Schema).properties[rows];
  return Object.keys(list?.items.properties ?? {});
}

/** The pages, each asked for while the one before is written. */
async function* readPages(
  client: OperatorClient,
  { operation, rows, after }: Exported,
  business_id: number,
): AsyncGenerator<readonly Row[]> {
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
    yield data[rows] as readonly Row[];
  }
}

/** Writes a file that is there whole or not at all, also when Ctrl-C ends it. */
async function writeFile(file: string, texts: AsyncIterable<string>): Promise<void> {
  const interrupt = () => process.exit(exitCodes.interrupted);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  const draft = await createDraft(file);
  try {
    for await (const text of texts) await draft.write(text);
    await draft.finish();
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
    await draft.discard();
  }
}
