/** `loyalty import`: the options and the help of its commands. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { decimalSigns } from "../../domain/amount-text.ts";
import { amountUnits, encodings, systems } from "../../domain/import-jobs.ts";
import { fieldsOfFile, type ImportKind, importKinds } from "../../operations/import-kinds.ts";
import { cancelImport } from "../../operations/operator/imports/cancel.ts";
import { getImport } from "../../operations/operator/imports/get.ts";
import { listImports } from "../../operations/operator/imports/list.ts";
import { isCountry } from "../../operations/phone-numbers.ts";
import { exampleText, type Options, ServiceCommand } from "../command.ts";
import { importBusinessCommand } from "../commands/backup.ts";
import {
  addField,
  businessOption,
  type FieldSchema,
  givenValue,
  names,
} from "../operations/field-options.ts";
import { operationCommand } from "../operations/operation-command.ts";
import { usageError } from "../terminal/cli-error.ts";
import { wrapText } from "../terminal/terminal.ts";
import { type ImportOptions, runImport } from "./import.ts";

export function importCommand(): Command {
  const kinds = Object.values(importKinds);
  const group = new ServiceCommand("import").description(
    `read files: ${kinds.map(({ name }) => name).join(", ")}, business`,
  );
  for (const kind of kinds) group.addCommand(kindCommand(kind));
  for (const operation of [listImports, getImport, cancelImport])
    group.addCommand(operationCommand(operation));
  return group.addCommand(importBusinessCommand());
}

function kindCommand(kind: ImportKind): Command {
  const { operation } = kind;
  const command = new ServiceCommand(kind.name)
    .summary(operation.summary)
    .description(
      `${operation.description} No line is imported twice, also if you interrupt or repeat the import. So you can fix, ` +
        `add or sort lines and import the file again.${kind.countsEqual ? countedText(kind) : ""}`,
    )
    .requires(operation)
    .argument("<file>", "A CSV file whose first line names the columns; - is standard input.");
  addField(command, "business_id", "found");
  const properties = operation.input.properties as Record<string, FieldSchema>;
  for (const field of kind.options) addField(command, field, "optional", properties[field]);
  if (kind.name === "sales") {
    const text =
      "What a name in the column location means, if no location has this name. NAME= leaves its lines out.";
    command.option(
      "--join-lines",
      "Lines that follow each other and have the same reference_id are one sale, whose amounts are summed.",
    );
    command.option("--location-name <name=location-id>", text, locationName);
  }
  if (kind.name !== "vouchers") {
    const text = "The system that exported the file. By default, the names of the columns tell.";
    command.addOption(new Option("--from <system>", text).choices(systems));
  }
  return addFileOptions(command, kind)
    .addHelpText("after", fieldText(kind))
    .addHelpText("after", exampleText(examples[kind.name] ?? []))
    .act((context, options, [file]) =>
      runImport(kind, context, {
        ...options,
        business: businessOption(options),
        file,
        request: { ...writingOf(options), ...requestFields(kind, options) },
      } as ImportOptions),
    );
}

/** The fields of the request that say how the file is written. */
function writingOf(options: Options): object {
  const { header, columns, column, default: defaults, dateFormat: date_format } = options;
  const { delimiter, encoding, from, decimal, country, amountUnit: amount_unit } = options;
  if (header !== false && columns !== undefined)
    throw usageError("--columns needs --no-header.", "It names the columns of a file without a header.");
  const places = pairsOf(options.locationName, "location_id") as
    | { field: string; location_id: string }[]
    | undefined;
  const given = {
    locations: places?.map(({ field: name, location_id }) => ({
      name,
      location_id: location_id === "" ? null : Number(location_id),
    })),
    join_lines: options.joinLines,
    ...{ delimiter, encoding, from, decimal, country, date_format, amount_unit },
    column_names: columns,
    no_header: header === false && columns === undefined ? true : undefined,
    like: options.like,
    save_as: options.saveAs,
    columns: pairsOf(column, "column"),
    defaults: pairsOf(defaults, "value"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const pairsOf = (pairs: unknown, name: "column" | "value" | "location_id") =>
  (pairs as [string, string][] | undefined)?.map(([field, text]) => ({ field, [name]: text }));

/** Makes the function that adds a value of an option, such as amount=dollar_value, to those before. */
function fieldTexts(kind: ImportKind, option: "--column" | "--default") {
  const example = option === "--column" ? "amount=dollar_value" : "last_name=-";
  return (given: string, before: readonly [string, string][] = []): readonly [string, string][] => {
    const [, field, text] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/s.exec(given) ?? [];
    // A field without a column is not imported.
    if (field === undefined || text === undefined || (text === "" && option === "--default"))
      throw usageError(`${option} ${given} must have a field and a value: ${example}.`);
    const fields = fieldsOfFile(kind);
    if (!Object.hasOwn(fields, field)) {
      const known = `The fields are: ${Object.keys(fields).join(", ")}.`;
      throw usageError(`${option}: no field is named "${field}".`, known);
    }
    return [...before, [field, text]];
  };
}

function locationName(given: string, before: readonly [string, string][] = []): readonly [string, string][] {
  const [, name, id] = /^\s*(.+?)\s*=\s*(\d*)\s*$/s.exec(given) ?? [];
  if (name === undefined || id === undefined)
    throw usageError(`--location-name ${given} must have a name and a location_id: "Main St=3".`);
  return [...before, [name, id]];
}

const countedText = ({ name, options }: ImportKind) =>
  ` Lines of one file with the same text are several ${name}. Equal lines of two files are one of the ${name}` +
  (options.includes("batch") ? ", unless you import the files under two names (--batch)." : ".");

/** The fields of the request that are options, as the command line gives them. */
function requestFields({ options: fields }: ImportKind, options: Options): object {
  const given = fields.map((field) => [field, givenValue(field, options)] as const);
  const isEarning = givenValue("earn_imported", options) === true && { earn: true };
  return { ...Object.fromEntries(given.filter(([, value]) => value !== undefined)), ...isEarning };
}

function addFileOptions(command: ServiceCommand, kind: ImportKind): ServiceCommand {
  return command
    .option(
      "--column <field=column>",
      "The column of a field, if their names differ. FIELD= leaves the field out.",
      fieldTexts(kind, "--column"),
    )
    .option(
      "--delimiter <text>",
      'The text between columns: a character, "tab", or "whitespace" for any number of blanks. By default, a comma, a ' +
        "semicolon, a tab or a |, as the first lines tell.",
      delimiter,
    )
    .addOption(
      new Option(
        "--encoding <name>",
        "The encoding of the file, if it has no byte order mark. UTF-16 has one.",
      ).choices(encodings),
    )
    .option(
      "--default <field=value>",
      "The value of a field where its cell is empty, or where the file has no column for it, such as last_name=-",
      fieldTexts(kind, "--default"),
    )
    .option(
      "--date-format <format>",
      "How days are written in the file, such as DD/MM/YYYY or MM/DD/YY. By default, all days of a column tell. 2026-04-17 and " +
        "20260417 are always understood. A time can follow.",
    )
    .option(
      "--country <code>",
      "The country whose national phone numbers are understood, such as ES. By default, that of the business.",
      country,
    )
    .option(
      "--no-header",
      "The first line is not a header. Without --columns, columns are called 1, 2, …: --column amount=3.",
    )
    .option(
      "--columns <names>",
      "The names of the columns in their order, separated by commas; - is a column that is not imported.",
      names,
    )
    .addOption(
      new Option(
        "--amount-unit <unit>",
        "The unit of amounts: of EUR, 12 is 12.00 in major units, and 0.12 in minor units. By default, major units if most " +
          "amounts of the file have decimals; if not, the command asks for the option.",
      ).choices(amountUnits),
    )
    .addOption(
      new Option(
        "--decimal <sign>",
        "The sign before the decimals of amounts in major units; the other one groups thousands. By default, all amounts of " +
          "the file tell. If none does, an amount that is not clear, such as 12.500, is rejected.",
      ).choices(decimalSigns),
    )
    .option("--save-as <name>", "Save the options about the file under a name, for other files.")
    .option("--like <name>", "The name of saved options. Options that you give count instead of saved ones.")
    .option("--yes", "Import without a question. Without a terminal, there is none.")
    .option("--strict", "Check all lines first, and import none if one is rejected.")
    .addOption(new Option("--dry-run", "Check all lines, and import none.").conflicts("strict"))
    .option("--report <file>", "The file to which rejected lines and their reasons are written.");
}

function country(text: string): string {
  const code = text.toUpperCase();
  if (!isCountry(code)) throw new InvalidArgumentError("It must be a code of ISO 3166-1, such as ES.");
  return code;
}

function delimiter(text: string): string {
  if (text === "whitespace") return text;
  if (text === "tab" || text === "\\t") return "\t";
  if ([...text].length !== 1)
    throw new InvalidArgumentError('It must be one character, "tab" or "whitespace".');
  return text;
}

/** The fields of a file, for the end of a help page. */
function fieldText(kind: ImportKind): string {
  const fields = fieldsOfFile(kind) as Readonly<Record<string, FieldSchema>>;
  const width = Math.max(...Object.keys(fields).map((field) => field.length));
  const needed = (field: string) => {
    const some = kind.needs.find((names) => names.includes(field));
    return some === undefined
      ? ""
      : some.length === 1
        ? " Required."
        : ` One of these ${some.length} is required.`;
  };
  // As wide as the rest of the help.
  const columns = process.stdout.isTTY ? process.stdout.columns : 80;
  const lines = Object.entries(fields).map(([field, { description = "" }]) =>
    wrapText(`${description}${needed(field)}`, columns, `  ${field.padEnd(width)}  `),
  );
  return ["", "Fields:", ...lines].join("\n");
}

const examples: Readonly<Record<string, readonly string[]>> = {
  members: [
    "loyalty import members members.csv --business 1",
    "loyalty import members crm.csv --business 1 --strict \\\n" +
      "    --column phone_number=mobile --column external_ref=id",
    "loyalty import members export.csv --business 1 --from square --country ES \\\n" +
      "    --date-format DD/MM/YYYY --default last_name=-",
    "zcat members.csv.gz | loyalty import members - --business 1",
  ],
  sales: [
    "loyalty import sales sales.csv --business 1 \\\n    --column amount=dollar_value",
    "loyalty import sales till-2.csv --business 1 --batch till-2",
    "loyalty import sales receipts.csv --business 1 --location 1 \\\n    --reference-per day,location",
    "loyalty import sales history.csv --business 1 --location 1 --earn",
    "loyalty import sales till.txt --business 1 --delimiter whitespace --no-header \\\n" +
      "    --columns external_ref,sold_at,-,amount",
  ],
  vouchers: [
    "loyalty import vouchers vouchers.csv --business 1",
    "loyalty import vouchers gifts.csv --business 1 --default voucher_id=4 \\\n" +
      "    --column coupon_code=number --default valid_through=2027-12-31",
  ],
};
