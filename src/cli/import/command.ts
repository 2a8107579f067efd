/** `loyalty import`: the options and the help of its commands. */
import { type Command, Option } from "commander";
import { mappingFields, requestOptions, writingFields } from "../../operations/imports/import-jobs.ts";
import {
  fieldsOfFile,
  hasOption,
  type ImportKind,
  importKinds,
} from "../../operations/imports/import-kinds.ts";
import { cancelImport } from "../../operations/operator/imports/cancel.ts";
import { getImport } from "../../operations/operator/imports/get.ts";
import { listImports } from "../../operations/operator/imports/list.ts";
import { previewImport } from "../../operations/operator/imports/preview.ts";
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
  for (const field of derivedOptions(kind)) addField(command, field, "optional", optionFields[field]);
  return addFileOptions(command, kind)
    .addHelpText("after", fieldText(kind))
    .addHelpText("after", exampleText(examples[kind.name] ?? []))
    .act((context, options, [file]) =>
      runImport(kind, context, {
        ...options,
        business: businessOption(options),
        file,
        request: requestOf(kind, options),
      } as ImportOptions),
    );
}

const optionFields = previewImport.input.properties as Record<string, FieldSchema>;
/** Those that the command line gives in another form. */
const ownOptions = ["columns", "defaults", "column_names", "no_header", "locations"];

const derivedOptions = (kind: ImportKind) =>
  Object.keys({ ...requestOptions, ...writingFields, ...mappingFields }).filter(
    (field) => hasOption(kind, field) && !ownOptions.includes(field),
  );

/** The fields of the request that checks the file, besides its name. */
function requestOf(kind: ImportKind, options: Options): object {
  const { header, columns, column, default: defaults, locationName } = options;
  if (header !== false && columns !== undefined)
    throw usageError("--columns needs --no-header.", "It names the columns of a file without a header.");
  const pairs = (given: unknown) => given as [string, string][] | undefined;
  const given = {
    ...Object.fromEntries(derivedOptions(kind).map((field) => [field, givenValue(field, options)])),
    locations: pairs(locationName)?.map(([name, id]) => ({
      name,
      location_id: id === "" ? null : Number(id),
    })),
    column_names: columns,
    no_header: header === false && columns === undefined ? true : undefined,
    columns: pairs(column)?.map(([field, column]) => ({ field, column })),
    defaults: pairs(defaults)?.map(([field, value]) => ({ field, value })),
    ...(givenValue("earn_imported", options) === true && { earn: true }),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

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

function addFileOptions(command: ServiceCommand, kind: ImportKind): ServiceCommand {
  if (hasOption(kind, "locations"))
    command.option(
      "--location-name <name=location-id>",
      "What a name in the column location means, if no location has this name. NAME= leaves its lines out.",
      locationName,
    );
  return command
    .option(
      "--column <field=column>",
      "The column of a field, if their names differ. FIELD= leaves the field out.",
      fieldTexts(kind, "--column"),
    )
    .option(
      "--default <field=value>",
      "The value of a field where its cell is empty, or where the file has no column for it, such as last_name=-",
      fieldTexts(kind, "--default"),
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
    .option("--yes", "Import without a question. Without a terminal, there is none.")
    .option("--strict", "Check all lines first, and import none if one is rejected.")
    .addOption(new Option("--dry-run", "Check all lines, and import none.").conflicts("strict"))
    .option("--report <file>", "The file to which rejected lines and their reasons are written.");
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
