/** The columns of a file, and the values in them. The console reads files with this code, too, so it loads nothing of Node. */
import { amountReadings, type DecimalSign, readAmount } from "../../domain/amount-text.ts";
import { withoutMark } from "../../domain/csv.ts";
import { longestText } from "../../domain/import-limits.ts";
import { readPhoneNumber } from "../../operations/phone-numbers.ts";
import { usageError } from "../terminal/cli-error.ts";
import { majorText } from "../terminal/quantities.ts";
import type { ImportFacts, ImportName } from "./facts.ts";
import { presets } from "./presets.ts";
import { type DayForm, readDay, readMoment } from "./times.ts";

/** What is imported. */
export interface ImportSubject extends ImportFacts {
  readonly name: ImportName;
  readonly fields: Readonly<Record<string, ImportField>>;
}

/** What the declaration of a field says about its values. */
export interface ImportField {
  readonly type?: string;
  readonly unit?: string;
  readonly format?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The value of a text, or a problem that completes a sentence that begins with the field's name. */
type Value = string | number | Problem;

interface Problem {
  readonly problem: string;
  /** The problem without the text of the cell, by which rejections are counted. */
  readonly kind?: string;
}

export interface Column {
  readonly field: string;
  /** -1 when all values are the fallback. */
  readonly index: number;
  /** The text of an empty cell. */
  readonly fallback: string;
  readonly read: (text: string) => Value;
}

/** Texts by field, such as the columns of --column. */
type TextByField = ReadonlyMap<string, string>;

/**
 * Makes the function that adds a value of an option, such as amount=dollar_value, to those before.
 * @returns a function that throws a CliError when the value names no field of the kind
 */
export function fieldTexts({ fields }: ImportSubject, option: "--column" | "--default") {
  const example = option === "--column" ? "amount=dollar_value" : "last_name=-";
  return (given: string, before: TextByField = new Map()): TextByField => {
    const [, field, text] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/s.exec(given) ?? [];
    // A field without a column is not imported.
    if (field === undefined || text === undefined || (text === "" && option === "--default"))
      throw usageError(`${option} ${given} must have a field and a value: ${example}.`);
    if (!Object.hasOwn(fields, field)) {
      const known = `The fields are: ${Object.keys(fields).join(", ")}.`;
      throw usageError(`${option}: no field is named "${field}".`, known);
    }
    return new Map([...before, [field, text]]);
  };
}

/** How columns are named and values are written in the file. */
export interface Writing {
  /** The names of columns. A field with an empty name is not imported. */
  readonly column?: TextByField | undefined;
  /** A preset. */
  readonly from?: string | undefined;
  /** The texts of empty cells. */
  readonly default?: TextByField | undefined;
  /** Of the currency, when amounts are in its major unit. */
  readonly decimals?: number | undefined;
  /** The sign before the decimals of amounts in major units, if that is known. */
  readonly decimalSign?: DecimalSign | undefined;
  /** Whose national phone numbers are understood. */
  readonly country?: string | null;
  readonly dateFormat?: DayForm | undefined;
  /** What a problem advises, if it is not the options of the command line. */
  readonly advice?: Advice;
}

export interface Advice {
  readonly amounts: string;
  /** Says that an amount has the decimals behind a sign. */
  decimals(sign: DecimalSign): string;
  readonly days: string;
}

const adviceOfCommand: Advice = {
  amounts: " (--major-units reads amounts such as 12.50)",
  decimals: (sign) => `--decimal "${sign}"`,
  days: " (--date-format DD/MM/YYYY reads days in another form)",
};

/**
 * Finds the columns of the fields.
 * @param names of the file's columns, in their order
 * @throws CliError when a required column is missing
 */
export function findColumns(kind: ImportSubject, names: readonly string[], writing: Writing = {}): Column[] {
  const columns = matchColumns(kind, names, writing);
  checkColumns(kind, names, columns);
  return columns;
}

const seenIn = (names: readonly string[]) => `The columns are: ${names.join(", ")}.`;

/** Finds the columns of the fields, of which required ones may be missing. */
export function matchColumns(kind: ImportSubject, names: readonly string[], writing: Writing): Column[] {
  const { column = new Map(), from = "", default: defaults = new Map() } = writing;
  const preset = presets[from];
  const columns: Column[] = [];
  for (const [field, schema] of Object.entries(kind.fields)) {
    const mapped = column.get(field);
    if (mapped === "") continue;
    const others = [...(preset?.columns[field] ?? []), field, ...(kind.otherNames[field] ?? [])];
    const wanted = mapped === undefined ? others : [mapped];
    const index = wanted.map((name) => findColumn(names, name)).find((at) => at !== -1) ?? -1;
    if (index === -1 && mapped !== undefined)
      throw usageError(`There is no column "${wanted[0]}" for ${field}.`, seenIn(names));
    const fallback = defaults.get(field) ?? preset?.defaults?.[field] ?? "";
    const read = valueReader(schema, writing);
    const value = fallback === "" ? "" : read(fallback);
    if (typeof value === "object")
      throw usageError(`--default ${field}=${fallback}: ${field} ${value.problem}.`);
    if (index !== -1 || fallback !== "") columns.push({ field, index, fallback, read });
  }
  return columns;
}

/** @throws CliError when a required column is missing */
export function checkColumns(
  kind: ImportSubject,
  names: readonly string[],
  columns: readonly Column[],
): void {
  for (const group of kind.needs) {
    if (columns.some(({ field }) => group.includes(field))) continue;
    throw usageError(
      `There is no column for ${group.join(" or ")}.`,
      seenIn(names),
      `Name the column: --column ${group[0]}=NAME. If all lines have one value: --default ${group[0]}=VALUE.`,
      "If the first line is not a header: --no-header --columns NAME,NAME,…",
    );
  }
}

/**
 * Finds a column by its name, or else by the letters and digits of its name: "Phone Number" is phone_number.
 * @returns -1 when there is none
 * @throws CliError when there are several
 */
function findColumn(names: readonly string[], name: string): number {
  const forms = [(text: string) => text, lettersAndDigits];
  for (const form of forms.filter((one) => one(name) !== "")) {
    const found = names.flatMap((other, index) => (form(other) === form(name) ? index : []));
    if (found.length > 1) {
      throw usageError(`There are two columns "${name}".`, `The columns are: ${names.join(", ")}.`);
    }
    if (found[0] !== undefined) return found[0];
  }
  return -1;
}

const lettersAndDigits = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

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
  { type, unit, format }: ImportField,
  { decimals, decimalSign, country, dateFormat, advice = adviceOfCommand }: Writing = {},
): Column["read"] {
  if (type === "integer") {
    if (unit !== "minor_units") return wholeNumber;
    if (decimals === undefined) return (text) => minorUnits(text, advice);
    return (text) =>
      readAmount(text, decimals, decimalSign) ?? noAmount(text, { decimals, decimalSign, advice });
  }
  const isDate = format === "date" || format === "moment";
  return (text) => {
    if (text.length > longestText) return { problem: `must have at most ${longestText} characters` };
    if (text.includes("\ufffd")) return { problem: "is not UTF-8; convert the file, for example with iconv" };
    if (/[\r\n]/.test(text)) return { problem: "has several lines" };
    const plain = withoutMark(text);
    if (format === "e164") return readPhoneNumber(plain, country) ?? plain;
    if (!isDate) return plain;
    const time = format === "date" ? readDay(plain, dateFormat) : readMoment(plain, dateFormat);
    return time ?? { problem: `must be a day such as ${dateFormat?.example ?? `2026-04-17${advice.days}`}` };
  };
}

function wholeNumber(text: string): Value {
  return /^-?(?:0|[1-9]\d*)$/.test(text) ? safeInteger(text) : { problem: "must be a whole number" };
}

function minorUnits(text: string, { amounts }: Advice): Value {
  if (!/^-?\d+\.\d+$/.test(text)) return wholeNumber(text);
  return { problem: `must be a whole number of minor units${amounts}` };
}

/** Why a text is no amount. If it can be one in a form that was not said, both are shown. */
function noAmount(
  text: string,
  {
    decimals,
    decimalSign,
    advice,
  }: { decimals: number; decimalSign: DecimalSign | undefined; advice: Advice },
): Problem {
  const fraction = "50".padEnd(decimals, "0").slice(0, decimals);
  // Of 12.500, it is not clear what it is.
  const example = decimals === 0 ? "12" : `${decimals === 3 ? 1234 : 12}${decimalSign ?? "."}${fraction}`;
  const readings = decimalSign === undefined ? amountReadings(text, decimals) : [];
  if (readings.length === 0) {
    const isLarge = /^-?\d{14,}(?:[.,]\d+)?$/.test(text);
    return { problem: isLarge ? "is too large" : `must be an amount such as ${example}` };
  }
  const meanings = readings.map(
    ({ sign, amount }) => `${majorText(amount, decimals)} with ${advice.decimals(sign)}`,
  );
  const options = readings.map(({ sign }) => advice.decimals(sign)).join(" or ");
  return {
    problem: `is not clear: ${text} is ${meanings.join(" or ")}`,
    kind: `has other decimals than the ${decimals} of the currency: say ${options}`,
  };
}

function safeInteger(digits: string): Value {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : { problem: "is too large" };
}
