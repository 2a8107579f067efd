/** The columns of a file, and the values in them. */
import { withoutMark } from "../../domain/csv.ts";
import { isDay } from "../../domain/dates.ts";
import { importNames } from "../../domain/imports/jobs.ts";
import { longestText } from "../../domain/imports/limits.ts";
import type { Made, Texts } from "../../operations/imports/file-fields.ts";
import { fieldsOfFile, type ImportKind, madeFields } from "../../operations/imports/import-kinds.ts";
import { readPhoneNumber } from "../../operations/members/phone-numbers.ts";
import { FileProblem } from "../file/file-problem.ts";
import type { Column, Problem, Writing } from "../writing.ts";
import { amountReader, decimalNumber, pointsReader, wholeNumber } from "./amounts.ts";
import { amountsIn, columnNamesOf } from "./column-words.ts";
import { lettersAndDigits, presets, remedyFor, systemOf } from "./presets.ts";
import { type DayForm, formsOfDay, readDay, readMoment, zoneOf } from "./times.ts";

/** What the declaration of a field says about its values. */
export interface ImportField {
  readonly type?: string;
  readonly unit?: string;
  readonly format?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export const fieldsOf = (kind: ImportKind) => fieldsOfFile(kind) as Readonly<Record<string, ImportField>>;

/**
 * Finds the columns of the fields.
 * @param names of the file's columns, in their order
 * @throws FileProblem when a required column is missing
 */
export function findColumns(kind: ImportKind, names: readonly string[], writing: Writing = {}): Column[] {
  const columns = matchColumns(kind, names, writing);
  checkColumns(kind, names, columns);
  return columns;
}

const seenIn = (names: readonly string[]) => `The columns are: ${names.join(", ")}.`;

/** Finds the columns of the fields, of which required ones may be missing. */
export function matchColumns(kind: ImportKind, names: readonly string[], writing: Writing): Column[] {
  const { column = new Map(), from, default: defaults = new Map(), places = new Map() } = writing;
  const preset = from === undefined ? undefined : presets[from][kind.name];
  const columns: Column[] = [];
  const makers = madeFields(kind.name);
  const made = new Set<string>();
  const schemas = fieldsOf(kind);
  // Those of which others are made come first.
  const fields = [...Object.keys(makers), ...Object.keys(kind.lineSchema.properties)];
  for (const field of fields) {
    const schema = schemas[field] as ImportField;
    const mapped = column.get(field);
    if (mapped === "" || (mapped === undefined && preset?.columns[field]?.length === 0)) continue;
    const maker = makers[field];
    const index = columnFor(names, field, mapped, [
      ...(preset?.columns[field] ?? []),
      ...columnNamesOf(kind.name, field, names),
    ]);
    const fallback = defaults.get(field) ?? preset?.defaults?.[field] ?? "";
    const dateFormat = writing.dateFormat ?? writing.dayForms?.get(field);
    const read = field === "time_zone" ? zoneOf : valueReader(schema, { ...writing, dateFormat });
    const value = fallback === "" ? "" : read(fallback);
    if (typeof value === "object")
      throw new FileProblem(`The default ${fallback} of ${field} is wrong: it ${value.problem}.`);
    if (index === -1 && fallback === "" && !made.has(field)) continue;
    for (const one of maker?.makes ?? []) made.add(one);
    const none = field === "sale_status" ? preset?.noSales : undefined;
    const make =
      maker?.make &&
      ((text: string, texts: Texts) =>
        none?.includes(text.toLowerCase())
          ? { leftOut: `with ${text}` }
          : (maker.make?.(text, texts, places) as Made));
    columns.push({ field, index, fallback, read, make, makes: maker?.makes });
  }
  return columns;
}

/** @param others names that it can have, if none is said @throws FileProblem when there is no column of the name that was said */
function columnFor(
  names: readonly string[],
  field: string,
  said: string | undefined,
  others: readonly string[],
) {
  for (const name of said === undefined ? others : [said]) {
    const index = findColumn(names, name);
    if (index !== -1) return index;
  }
  if (said !== undefined) throw new FileProblem(`There is no column "${said}" for ${field}.`, seenIn(names));
  return -1;
}

/** @throws FileProblem when a required column is missing */
export function checkColumns(kind: ImportKind, names: readonly string[], columns: readonly Column[]): void {
  const missing = kind.needs.filter((group) => !columns.some(({ field }) => group.includes(field)));
  if (missing.length === 0) return;
  const isPhoneMissing = missing.map((group) => group.join()).join() === "phone_number";
  const other = importNames.find((name) => name !== kind.name && systemOf(name, names) !== undefined);
  const remedy = remedyFor(kind.name, names);
  const isNameMissing = missing.some((group) => group.includes("first_name"));
  const amounts = missing.some((group) => group.includes("amount")) ? amountsIn(kind.name, names) : [];
  const isNumbered = names[0]?.startsWith("1: ");
  if (names.join().includes("\ufffd"))
    throw new FileProblem(
      "Names of columns have letters that can't be read: encoding Windows-1252 reads files of older spreadsheets.",
    );
  throw new FileProblem(
    `There is no column for ${missing.map((group) => group.join(" or ")).join("; for ")}.`,
    ...(isNumbered ? [numberedText] : []),
    ...(other === undefined ? [] : [`The file looks like an export of ${other}: import it as ${other}.`]),
    ...(isNameMissing && !isNumbered ? ["A column of whole names is the field name."] : []),
    ...(amounts.length > 1 ? [`The amount can be ${amounts.join(" or ")}.`] : []),
    ...(remedy === undefined ? [] : [remedy]),
    ...(isPhoneMissing && remedy === undefined ? [noPhones] : []),
    seenIn(names),
    `Name the column ${isNumbered ? "by its number " : ""}in columns. If all lines have one value, say it in defaults.`,
    ...(isNumbered
      ? []
      : ["If the first line is not a header, say no_header, and name columns by their numbers."]),
  );
}

/** Customers of shops on the web often have their numbers in their addresses. */
const noPhones =
  "Each member has a phone number. If another export of the system has the numbers, such as that of addresses, add them to this file.";

export const numberedText = "The first line is not a header, so columns have numbers.";

/** Whether a first line is one of values, and not a header: no name is known, and some cell is a day, a phone number or an address. */
export const isLineOfValues = (kind: ImportKind, cells: readonly string[]): boolean =>
  cells.some(isValue) && matchColumns(kind, cells, {}).length === 0;
const isValue = (text: string) =>
  readMoment(text) !== undefined ||
  formsOfDay(text).length > 0 ||
  /^\+?\d[\d ().-]{6,}$|^\S+@\S+\.\S+$/.test(text);

/** The number of a column without a name, such as "3: Ana". */
const numberOfColumn = (text: string) => /^\d+(?=: |$)/.exec(text)?.[0] ?? "";

/**
 * Finds a column by its name, or else by the letters and digits of its name: "Phone Number" is phone_number.
 * @returns -1 when there is none
 * @throws FileProblem when there are several
 */
function findColumn(names: readonly string[], name: string): number {
  const forms = [(text: string) => text, lettersAndDigits, numberOfColumn];
  for (const form of forms.filter((one) => one(name) !== "")) {
    const found = names.flatMap((other, index) => (form(other) === form(name) ? index : []));
    if (found.length > 1) {
      throw new FileProblem(`There are two columns "${name}".`, `The columns are: ${names.join(", ")}.`);
    }
    if (found[0] !== undefined) return found[0];
  }
  return -1;
}

/**
 * Rejects a first line that is one column, but several columns with another delimiter.
 * @throws FileProblem that names the other delimiter
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
  throw new FileProblem(
    `With this delimiter, line ${line} has only one column: ${shown}`,
    `Try the delimiter ${better[1]}.`,
  );
}

/** Makes the function that reads a field. It checks only what a request can't carry; the service checks the rest. */
export function valueReader({ type, unit, format }: ImportField, writing: Writing = {}): Column["read"] {
  const { country, dateFormat } = writing;
  if (type === "integer" && unit === "minor_units") return amountReader(writing);
  if (type === "integer") return unit === "points" ? pointsReader(writing) : wholeNumber;
  if (type === "number") return decimalNumber;
  const isDate = format === "date" || format === "moment";
  return (text) => {
    if (text.length > longestText) return { problem: `must have at most ${longestText} characters` };
    if (text.includes("\ufffd"))
      return { problem: "is not UTF-8 (encoding Windows-1252 reads files of older spreadsheets)" };
    if (/[\r\n]/.test(text)) return { problem: "has several lines" };
    const plain = withoutMark(text);
    if (format === "e164") return readPhoneNumber(plain, country) ?? plain;
    if (!isDate) return plain;
    const readTime = format === "date" ? readDay : readMoment;
    const time = readTime(plain, dateFormat);
    // The service says which days don't exist. Here, a day that exists in another form is named.
    const isOther = time === undefined || (!isDay(time.slice(0, 10)) && formsOfDay(plain).length > 0);
    return isOther ? noDay(plain, dateFormat) : time;
  };
}

/** Why a text is no day or time. If it has another form than the file, that is said. */
function noDay(text: string, form: DayForm | undefined): Problem {
  const forms = formsOfDay(text);
  if (form === undefined) {
    const days = forms.map((format) => `date_format ${format}`).join(" or ");
    if (forms.length === 0) return { problem: "must be a day such as 2026-04-17" };
    const kind = `must be a day such as 2026-04-17 (say ${days})`;
    return forms.length === 1 ? { problem: kind } : { problem: `is not clear: ${text} (say ${days})`, kind };
  }
  const problem = `must be a day such as ${form.example} (${form.format})`;
  const hint = forms.length > 0 ? `: ${text} is ${forms.join(" or ")}` : "";
  return { problem: `${problem}${hint}`, kind: problem };
}
