/** Command-line options, made from the fields that an operation declares. */
import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import * as fields from "../../contract/fields.ts";
import type { Options } from "../command.ts";
import { flagOf, fullFlagOf } from "../service/command-names.ts";

/** The parts of JSON Schema that declarations use. */
export interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: FieldSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly anyOf?: readonly FieldSchema[];
  readonly unit?: fields.Unit;
  /** The time zone of a time that is not in that of the business. */
  readonly zone?: string;
  /** The kinds of files that have the value. */
  readonly file?: string;
}

/** Whether a command needs an option. "found": without the option, the command finds the business. */
export type Need = "required" | "optional" | "found";

/**
 * Makes the options of a field, the one that help shows first. A second one says no to a boolean, or has the full name of
 * the field if that is longer.
 */
export function fieldOptions(field: string, schema: FieldSchema, need: Need): [Option, ...Option[]] {
  const [flag, fullFlag] = [flagOf(field), fullFlagOf(field)];
  const of = valueSchema(schema);
  const text = describe(field, schema, of, need);
  if (of.type === "boolean") {
    const yes = new Option(flag, text);
    // An option that is false by default needs no opposite.
    if (schema.default === false) return [yes];
    return [yes, new Option(flag.replace("--", "--no-"), `The opposite of ${flag}.`)];
  }
  const make = (name: string) => {
    const option = new Option(`${name} <${placeholder(field, of)}>`, text);
    if (of.enum !== undefined && of === schema) option.choices(of.enum);
    else option.argParser((given, previous) => parse(given, previous, of, of !== schema));
    return option;
  };
  const option = make(flag);
  return fullFlag === flag ? [option] : [option, make(fullFlag).hideHelp().conflicts(option.attributeName())];
}

/** The schema of the values that are not null. */
const valueSchema = (schema: FieldSchema) => schema.anyOf?.find(({ type }) => type !== "null") ?? schema;

/** Adds the options of a field to a hand-written command. */
export function addField<Of extends Command>(
  command: Of,
  field: string,
  need: Need,
  schema: FieldSchema = fields.businessId,
): Of {
  for (const option of fieldOptions(field, schema, need)) command.addOption(option);
  return command;
}

/** The value that a command line gives a field, under either name; undefined without one. */
export function givenValue(field: string, given: Options): unknown {
  const values = [flagOf(field), fullFlagOf(field)].map((flag) => given[new Option(flag).attributeName()]);
  const value = values.find((one) => one !== undefined);
  return value === none ? null : value;
}

/** The business that a command line names. */
export function businessOption(options: Options): number | undefined {
  return givenValue("business_id", options) as number | undefined;
}

/** Commander treats null as a failure of a parser. */
const none = Symbol("none");

function placeholder(field: string, schema: FieldSchema): string {
  const { type, enum: values, format, items } = schema;
  const record = recordOf(schema);
  if (record !== undefined) {
    if (isNamed(record)) return "name:value";
    return idOf(record) === undefined ? "field=value,..." : "id:field=value,...";
  }
  if (type === "array") return items?.type === "integer" ? "ids" : "list";
  if (type === "integer") return field.endsWith("_id") ? "id" : "number";
  if (format === "date") return "date";
  if (schema.file !== undefined) return "file";
  return values === undefined ? "text" : "value";
}

/** The schema of a record, or of the records of a list; undefined for other fields. */
const recordOf = (schema: FieldSchema) => [schema, schema.items].find((one) => one?.properties !== undefined);

/** The field that says which record a record changes. A record that would be added has none. */
const idOf = ({ properties = {} }: FieldSchema) =>
  Object.keys(properties)
    .slice(0, 1)
    .find((field) => field.endsWith("_id"));

/** Whether a list of records can be empty. Other lists are empty without an item: "". */
const mayBeNone = ({ items, minItems = 0 }: FieldSchema) => items?.properties !== undefined && minItems === 0;

/** Ranges that no caller exceeds by accident are left out. */
const widestShownRange = 1_000_000_000;

/** @param of the schema of the values that are not null */
function describe(field: string, schema: FieldSchema, of: FieldSchema, need: Need): string {
  const { type, items, minimum, maximum = Number.POSITIVE_INFINITY } = of;
  const notes: string[] = need === "required" ? ["required"] : [];
  const record = recordOf(of);
  if (record !== undefined) {
    if (record === items) notes.push("can be repeated");
    const fields = Object.keys(record.properties ?? {}).filter((name) => name !== idOf(record));
    if (!isNamed(record)) notes.push(`fields: ${fields.map(dashed).join(", ")}`);
  } else if (type === "array") notes.push("separated by commas");
  if (items?.enum !== undefined) notes.push(`values: ${items.enum.join(", ")}`);
  // Commander shows the choices of the other options.
  if (of.enum !== undefined && of !== schema) notes.push(`values: ${of.enum.join(", ")}`);
  if (type === "integer" && maximum <= widestShownRange) notes.push(`${minimum} to ${maximum}`);
  if (of.format === "moment" && of.zone === "UTC") notes.push("or how long ago: 30m, 2h, 7d");
  if (need === "found") notes.push("default: LOYALTY_BUSINESS, or the only business");
  if (of !== schema || mayBeNone(of)) notes.push('"none" for none');
  if (schema.default !== undefined && schema.default !== false) notes.push(`default: ${schema.default}`);
  // The command line has no null, and its options don't name the field.
  const description = (schema.description ?? "")
    .replace(/,? or null(?: for none)?/, "")
    .replace(of.file === undefined ? "" : /,? in Base64/g, "")
    .replace(new RegExp(`, by (?:the )?${field}(?: from /sp/[\\w/-]+)?\\.$`), ".");
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

/** Reads names that are separated by commas. */
export const names = (text: string) => text.split(",").map((name) => name.trim());

function parse(text: string, previous: unknown, schema: FieldSchema, nullable: boolean): unknown {
  if (nullable && text === "none") return none;
  if (schema.properties !== undefined) return parseRecord(text, schema);
  if (schema.type !== "array") return parseOne(text, schema);
  if (mayBeNone(schema) && text === "none" && previous === undefined) return [];
  if (schema.items?.properties !== undefined) {
    const record = isNamed(schema.items) ? parseNamed(text) : parseRecord(text, schema.items);
    return [...((previous as unknown[] | undefined) ?? []), record];
  }
  const items = names(text).filter((item) => item !== "");
  const before = (previous as unknown[] | undefined) ?? [];
  return [...before, ...items.map((item) => parseOne(item, schema.items ?? {}))];
}

/** Whether a record is a name with a value, such as a header. */
const isNamed = ({ properties = {} }: FieldSchema) => Object.keys(properties).join() === "name,value";

/** Reads a name with a value: X-Key: abc. */
function parseNamed(text: string): object {
  const [name, value] = splitAt(text, ":");
  if (value !== undefined) return { name: name.trim(), value: value.trim() };
  throw new InvalidArgumentError('It must be a name and a value, such as "Authorization: Bearer abc".');
}

/** Reads the fields of a record, after its id if it has one: 1:earn-points=2,earn-amount=100. */
function parseRecord(text: string, record: FieldSchema): object {
  const { properties = {} } = record;
  const id = idOf(record);
  const others = Object.keys(properties).filter((name) => name !== id);
  const [number = "", changes] = id === undefined ? ["0", text] : splitAt(text, ":");
  if (changes === undefined || !/^\d+$/.test(number)) {
    throw new InvalidArgumentError(`It must be an id and values, such as 1:${dashed(others[0] ?? "")}=2.`);
  }
  const values = names(changes).map((change) => {
    const [name, value = ""] = splitAt(change, "=");
    const field = name.replaceAll("-", "_");
    const schema = others.includes(field) ? properties[field] : undefined;
    if (schema === undefined) {
      throw new InvalidArgumentError(`"${name}" is not one of ${others.map(dashed).join(", ")}.`);
    }
    const of = valueSchema(schema);
    const parsed = parse(value, undefined, of, of !== schema);
    return [field, parsed === none ? null : parsed];
  });
  return { ...(id !== undefined && { [id]: Number(number) }), ...Object.fromEntries(values) };
}

/** Writes a record as `parseRecord` and `parseNamed` read it. @param schema of the record, or of a list of records */
export function recordText(record: object, schema: FieldSchema): string {
  const of = recordOf(schema) ?? schema;
  if (isNamed(of)) return Object.values(record).join(": ");
  const id = idOf(of);
  const values = Object.entries(record).filter(([name]) => name !== id);
  const text = values.map(([name, value]) => `${dashed(name)}=${value}`).join(",");
  return id === undefined ? text : `${(record as Readonly<Record<string, unknown>>)[id]}:${text}`;
}

const dashed = (field: string) => field.replaceAll("_", "-");

/** The parts of a text before and after the first of a sign; without the sign, there is no second part. */
function splitAt(text: string, sign: string): [string, string?] {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const unitMilliseconds: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time in UTC. 30m, 2h and 7d are that long ago. */
function timeInUtc(text: string): string {
  const [, number, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (number === undefined) return text;
  const time = new Date(Date.now() - Number(number) * (unitMilliseconds[unit] as number));
  return time.toISOString().slice(0, 19).replace("T", " ");
}

/** What a file has: text as it is, and other bytes in Base64. */
function contentOf(path: string): string {
  try {
    const bytes = readFileSync(path);
    const text = bytes.toString();
    return Buffer.from(text).equals(bytes) && !text.includes("\0") ? text : bytes.toString("base64");
  } catch (error) {
    throw new InvalidArgumentError(`The file can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function parseOne(
  text: string,
  { type, enum: values, unit, format, zone, file }: FieldSchema,
): string | number {
  if (file !== undefined) return contentOf(text);
  if (values !== undefined && !values.includes(text)) {
    throw new InvalidArgumentError(`"${text}" is not one of ${values.join(", ")}.`);
  }
  if (format === "moment" && zone === "UTC") return timeInUtc(text);
  if (type !== "integer") return text;
  if (/^\d+\.\d+$/.test(text) && unit === "minor_units") {
    throw new InvalidArgumentError("It must be in minor units, such as cents: 550 for 5.50.");
  }
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  if (Number.isSafeInteger(Number(text))) return Number(text);
  throw new InvalidArgumentError(`It must be at most ${Number.MAX_SAFE_INTEGER}.`);
}
