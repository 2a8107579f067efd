/** `loyalty import`: the lines of a CSV file, in chunks, each line once at most. */
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { Acting, Options } from "../context.ts";
import { exampleText } from "../examples.ts";
import { type FieldSchema, fieldOption } from "../field-options.ts";
import { type ImportOptions, runImport } from "./import.ts";
import { type ImportKind, importKinds } from "./kinds.ts";

export function importCommand(acting: Acting): Command {
  const group = new Command("import").description(
    `read a CSV file: ${importKinds.map(({ name }) => name).join(", ")}`,
  );
  for (const kind of importKinds) group.addCommand(kindCommand(kind, acting));
  return group;
}

function kindCommand(kind: ImportKind, acting: Acting): Command {
  const { operation } = kind;
  const business = (operation.input.properties as Record<string, FieldSchema>).business_id as FieldSchema;
  const command = new Command(kind.name)
    .summary(operation.summary)
    .description(
      `${operation.description} Interrupted or repeated, no line is imported twice: a line is known by its ` +
        `${kind.reference}, or else by what is imported of it and how many equal lines came before it in the file. ` +
        "So a file with lines mended, added or in another order brings only what is new, and equal lines of two files " +
        "are taken for one, unless the files are imported under two names (--batch).",
    )
    .addArgument(
      new Argument("<file>", "A CSV file in UTF-8, its first line naming the columns; - is standard input."),
    );
  for (const option of fieldOption("business_id", business, true).options) command.addOption(option);
  for (const option of fileOptions()) command.addOption(option);
  return command
    .addHelpText("after", fieldText(kind))
    .addHelpText("after", exampleText(examples[kind.name] ?? []))
    .action(acting((context, options, words) => runImport(kind, context, readOptions(options, words))));
}

function fileOptions(): Option[] {
  return [
    new Option(
      "--column <field=column>",
      "Where a field is, unless its column is called like it; FIELD= leaves it out.",
    ).argParser((text, before: string[] | undefined) => [...(before ?? []), text]),
    new Option(
      "--delimiter <text>",
      'What separates columns: a character, "tab" or "whitespace", which is any number of blanks.',
    )
      .default(",")
      .argParser(delimiter),
    new Option("--no-header", "The first line is one like the others; name the columns with --columns."),
    new Option(
      "--columns <names>",
      "The names of the columns in their order, separated by commas; - is none to import.",
    ).argParser((text) => text.split(",").map((name) => name.trim())),
    new Option("--major-units", "Amounts are like 12.50, and not in minor units, like 1250."),
    new Option(
      "--batch <name>",
      "For files that have no line in common: a line without a reference is compared only with those imported " +
        "under the same name.",
    ).argParser(batchName),
    new Option("--strict", "Check all lines first, and import none if one is wrong."),
    new Option("--dry-run", "Check all lines, and import none.").conflicts("strict"),
    new Option("--report <file>", "Where to write which lines were rejected and why."),
  ];
}

function delimiter(text: string): string {
  if (text === "whitespace") return text;
  if (text === "tab" || text === "\\t") return "\t";
  if ([...text].length !== 1)
    throw new InvalidArgumentError('It must be one character, "tab" or "whitespace".');
  return text;
}

function batchName(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

function readOptions(options: Options, words: readonly string[]): ImportOptions {
  return {
    file: words[0] as string,
    business: options.business as number,
    mapping: (options.column ?? []) as string[],
    delimiter: options.delimiter as string,
    header: options.header as boolean,
    columns: options.columns as string[] | undefined,
    majorUnits: options.majorUnits === true,
    batch: options.batch as string | undefined,
    strict: options.strict === true,
    dryRun: options.dryRun === true,
    report: options.report as string | undefined,
  };
}

/** What a file may hold, for the end of a help page. */
function fieldText({ fields, needs }: ImportKind): string {
  const width = Math.max(...Object.keys(fields).map((field) => field.length));
  const needed = (field: string) => {
    const some = needs.find((names) => names.includes(field));
    return some === undefined ? "" : some.length === 1 ? " Needed." : " One of these three is needed.";
  };
  const lines = Object.entries(fields).map(
    ([field, { description }]) => `  ${field.padEnd(width)}  ${description ?? ""}${needed(field)}`,
  );
  return ["", "Fields:", ...lines].join("\n");
}

const examples: Readonly<Record<string, readonly string[]>> = {
  members: [
    "loyalty import members members.csv --business 1",
    "loyalty import members crm.csv --business 1 --column phone_number=mobile --column external_ref=id --strict",
    "zcat members.csv.gz | loyalty import members - --business 1",
  ],
  sales: [
    "loyalty import sales sales.csv --business 1 --column amount=dollar_value --major-units",
    "loyalty import sales till-2.csv --business 1 --batch till-2",
    "loyalty import sales till.txt --business 1 --delimiter whitespace --no-header \\\n" +
      "    --columns external_ref,sold_at,-,amount --major-units",
  ],
};
