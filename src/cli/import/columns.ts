/** The kinds of imports with their fields, the columns of a file, and the values in them. */
import type { Operation } from "../../contract/operation.ts";
import { longestText, memberFields, saleFields } from "../../operations/imports.ts";
import { importMembers } from "../../operations/operator/imports/members.ts";
import { importSales } from "../../operations/operator/imports/sales.ts";
import { readPhoneNumber } from "../../operations/phone-numbers.ts";
import type { FieldSchema } from "../operations/field-options.ts";
import { usageError } from "../terminal/cli-error.ts";

export interface ImportKind {
  readonly name: "members" | "sales";
  readonly operation: Operation;
  readonly fields: Readonly<Record<string, FieldSchema>>;
  /** A file must have a column for at least one field of each group. */
  readonly needs: readonly (readonly string[])[];
  /** The field that identifies a line when the line has it. */
  readonly reference: string;
  /** Whether equal lines without a reference are several records. */
  readonly countsEqual: boolean;
  /** Fields of the request that are options of the command. */
  readonly options: readonly ("earn" | "earn_imported" | "location_id" | "batch" | "reference_per")[];
  /** Other fields whose values no two lines may share. */
  readonly unique: readonly string[];
}

export const importKinds: readonly ImportKind[] = [
  {
    name: "members",
    operation: importMembers,
    fields: memberFields.properties,
    needs: [["phone_number"], ["first_name"], ["last_name"]],
    reference: "external_ref",
    countsEqual: false,
    options: [],
    unique: ["phone_number", "email"],
  },
  {
    name: "sales",
    operation: importSales,
    fields: saleFields.properties,
    needs: [["contact_id", "phone_number", "external_ref"], ["sold_at"], ["amount"]],
    reference: "reference_id",
    countsEqual: true,
    options: ["earn", "earn_imported", "location_id", "reference_per", "batch"],
    unique: [],
  },
];

/** The value of a text, or a problem that completes a sentence that begins with the field's name. */
type Value = string | number | { readonly problem: string };

export interface Column {
  readonly field: string;
  readonly index: number;
  readonly read: (text: string) => Value;
}

/** The columns that --column names for fields; undefined for a field that is not imported. */
type Mapping = ReadonlyMap<string, string | undefined>;

/**
 * Adds a value of --column, such as amount=dollar_value, to those before.
 * @throws CliError when it names no field of the kind
 */
export function addToMapping({ fields }: ImportKind, text: string, before: Mapping = new Map()): Mapping {
  const at = text.indexOf("=");
  const field = text.slice(0, at).trim();
  if (at === -1) throw usageError(`--column ${text} must be a field and a column: amount=dollar_value.`);
  if (!Object.hasOwn(fields, field)) {
    const known = `The fields are: ${Object.keys(fields).join(", ")}.`;
    throw usageError(`--column: no field is named "${field}".`, known);
  }
  return new Map([...before, [field, text.slice(at + 1).trim() || undefined]]);
}

/** How values are written in the file. */
export interface Writing {
  /** Of the currency, when amounts are in its major unit. */
  readonly decimals?: number | undefined;
  /** Whose national phone numbers are understood. */
  readonly country?: string | null;
}

/**
 * Finds the columns of the fields.
 * @param names of the file's columns, in their order
 * @throws CliError when a required column is missing
 */
export function findColumns(
  kind: ImportKind,
  names: readonly string[],
  mapping: Mapping | undefined = new Map(),
  writing: Writing = {},
): Column[] {
  const seen = `The columns are: ${names.join(", ")}.`;
  const columns: Column[] = [];
  for (const [field, schema] of Object.entries(kind.fields)) {
    const name = mapping.has(field) ? mapping.get(field) : field;
    if (name === undefined) continue;
    const index = names.indexOf(name);
    if (index === -1 && mapping.has(field)) {
      throw usageError(`There is no column "${name}" for ${field}.`, seen);
    }
    if (names.lastIndexOf(name) !== index) throw usageError(`There are two columns "${name}".`, seen);
    if (index !== -1) columns.push({ field, index, read: valueReader(schema, writing) });
  }
  for (const group of kind.needs) {
    if (columns.some(({ field }) => group.includes(field))) continue;
    throw usageError(
      `There is no column for ${group.join(" or ")}.`,
      seen,
      `Name the column: --column ${group[0]}=NAME. If the first line is not a header: --no-header --columns NAME,NAME,…`,
    );
  }
  return columns;
}

/**
 * Rejects a first line that is one column, but several columns with another delimiter.
 * @throws CliError that names the other delimiter
 */
export function checkDelimiter([only = "", ...others]: readonly string[], line: number): void {
  if (others.length > 0) return;
  const candidates = [
    [/;/, '";"'],
    [/\t/, "tab"],
    [/\S +\S/, "whitespace"],
    [/,/, '","'],
  ] as const;
  const better = candidates.find(([pattern]) => pattern.test(only));
  if (better === undefined) return;
  const shown = only.length > 60 ? `${only.slice(0, 60)}…` : only;
  throw usageError(
    `With this delimiter, line ${line} has only one column: ${shown}`,
    `Try --delimiter ${better[1]}.`,
  );
}

/** Makes the function that reads a field. It checks only what a request can't carry; the service checks the rest. */
export function valueReader(
  { type, unit, format }: FieldSchema,
  { decimals, country }: Writing = {},
): Column["read"] {
  if (type === "integer") {
    if (unit !== "minor_units") return wholeNumber;
    return decimals === undefined ? minorUnits : (text) => majorUnits(text, decimals);
  }
  const isDate = format === "date" || format === "moment";
  return (text) => {
    if (text.length > longestText) return { problem: `must have at most ${longestText} characters` };
    if (text.includes("\ufffd")) return { problem: "is not UTF-8; convert the file, for example with iconv" };
    if (/[\r\n]/.test(text)) return { problem: "has several lines" };
    if (format === "e164") return readPhoneNumber(text, country) ?? text;
    // 20260417 is 2026-04-17. The service checks that the day exists.
    return isDate ? text.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3") : text;
  };
}

function wholeNumber(text: string): Value {
  return /^-?(?:0|[1-9]\d*)$/.test(text) ? safeInteger(text) : { problem: "must be a whole number" };
}

function minorUnits(text: string): Value {
  if (!/^-?\d+\.\d+$/.test(text)) return wholeNumber(text);
  return { problem: "must be a whole number of minor units; --major-units reads amounts such as 12.50" };
}

/** Exact: amounts never become binary fractions. */
function majorUnits(text: string, decimals: number): Value {
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return { problem: "must be an amount such as 12.50" };
  const [, whole = "", fraction = ""] = match;
  const kept = fraction.replace(/0+$/, "");
  if (kept.length > decimals) return { problem: `has more than ${decimals} decimals` };
  return safeInteger(whole + kept.padEnd(decimals, "0"));
}

function safeInteger(digits: string): Value {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : { problem: "is too large" };
}
