/** The columns of a file, and the values in them. */
import { withoutMark } from "../../domain/csv.ts";
import { isDay } from "../../domain/dates.ts";
import { importNames } from "../../domain/imports/jobs.ts";
import { longestText } from "../../domain/imports/limits.ts";
import type { Made, Texts } from "../../operations/imports/file-fields.ts";
import { fieldsOfFile, type ImportKind, madeFields } from "../../operations/imports/import-kinds.ts";
import { readPhoneNumber } from "../../operations/members/phone-numbers.ts";
import type { TextRecord } from "../file/csv.ts";
import { FileProblem } from "../file/file-problem.ts";
import { mostTitles } from "../file/text.ts";
import type { Column, Problem, Writing } from "../writing.ts";
import { amountReader, currencyReader, decimalNumber, pointsReader, wholeNumber } from "./amounts.ts";
import { amountsIn, columnNamesOf } from "./column-words.ts";
import { lettersAndDigits, presets, remedyFor, systemOf } from "./presets.ts";
import { type DayForm, formsOfDay, readDay, readDayOf, readMoment, zoneOf } from "./times.ts";

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
    const index = indexOf(kind, names, field, writing);
    const fallback = defaults.get(field) ?? preset?.defaults?.[field] ?? "";
    const read = readerOf(field, schema, writing);
    const value = fallback === "" ? "" : read(fallback);
    if (typeof value === "object")
      throw new FileProblem(`The default ${fallback} of ${field} is wrong: it ${value.problem}.`);
    if (index === -1 && fallback === "" && !made.has(field)) continue;
    for (const one of maker?.makes ?? []) made.add(one);
    const none = preset?.noSales?.[field];
    const make =
      maker?.make &&
      ((text: string, texts: Texts): Made => {
        if (none?.includes(text.toLowerCase())) return { leftOut: `with ${text}` };
        const made = maker.make?.(text, texts, places) as Made;
        return "problem" in made && text.includes("\ufffd") ? { ...notUtf8, kind: notUtf8.problem } : made;
      });
    const isBeforeNameless = index !== -1 && names[index + 1] === "";
    columns.push({ field, index, fallback, read, make, makes: maker?.makes, isBeforeNameless });
  }
  return columns;
}

function readerOf(field: string, schema: ImportField, writing: Writing): Column["read"] {
  if (field === "time_zone") return zoneOf;
  if (field === "currency") return currencyReader(writing);
  const dateFormat = writing.dateFormat ?? writing.dayForms?.get(field);
  const read = valueReader(schema, { ...writing, dateFormat });
  return field === "date_of_birth" ? birthReader(read) : read;
}

/** The column of a field: that which was found before, that which was said, or one of a known name. @throws FileProblem when there is none of the name that was said */
function indexOf(
  { name: kind }: ImportKind,
  names: readonly string[],
  field: string,
  { indexes, column, from }: Writing,
) {
  if (indexes !== undefined) return indexes[field] ?? -1;
  const said = column?.get(field);
  const ofSystem = from === undefined ? undefined : presets[from][kind]?.columns[field];
  const others = [...(ofSystem ?? []), ...columnNamesOf(kind, field, names)];
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
  cells.some(isValue) && knownFields(kind, cells) === 0;

/** How many fields have a column that is called so. */
function knownFields(kind: ImportKind, names: readonly string[]): number {
  const keys = new Set(names.map(lettersAndDigits));
  const isKnown = (field: string) =>
    columnNamesOf(kind.name, field, names).some((name) => keys.has(lettersAndDigits(name)));
  return Object.keys(fieldsOf(kind)).filter(isKnown).length;
}

/**
 * The record of a file's header: the first one, or the first one with known names if that is a title.
 * @param said names of columns that the options say
 */
export function headerAmong<Record extends TextRecord>(
  kind: ImportKind,
  [first, ...others]: readonly [Record, ...Record[]],
  said: readonly string[],
): Record {
  if (knownFields(kind, first.fields) > 0 || said.some((name) => first.fields.includes(name))) return first;
  return others.slice(0, mostTitles).find(({ fields }) => knownFields(kind, fields) > 1) ?? first;
}

const isValue = (text: string) =>
  readMoment(text) !== undefined ||
  formsOfDay(text).length > 0 ||
  /^\+?\d[\d ().-]{6,}$|^\S+@\S+\.\S+$/.test(text);

/** The number of a column without a name, such as "3: Ana". */
const numberOfColumn = (text: string) => /^\d+(?=: |$)/.exec(text)?.[0] ?? "";

/**
 * Finds a column by its name, by the letters and digits of its name ("Phone Number" is phone_number), or by its number.
 * @returns -1 when there is none
 * @throws FileProblem when there are several
 */
function findColumn(names: readonly string[], name: string): number {
  const forms = [(text: string) => text, lettersAndDigits, numberOfColumn];
  for (const form of forms.filter((one) => one(name) !== "")) {
    const found = names.flatMap((other, index) => (form(other) === form(name) ? index : []));
    if (found.length > 1)
      throw new FileProblem(
        `There are two columns "${name}".`,
        `Their numbers are ${found.map((index) => index + 1).join(" and ")}.`,
        seenIn(names),
        "Name the column by its number in columns.",
      );
    if (found[0] !== undefined) return found[0];
  }
  const number = /^\d+$/.test(name) ? Number(name) : 0;
  return number > 0 && number <= names.length ? number - 1 : -1;
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
  if (type === "integer" || type === "number") {
    const number =
      type === "number" ? decimalNumber : unit === "points" ? pointsReader(writing) : wholeNumber;
    const read = unit === "minor_units" ? amountReader(writing) : number;
    return (text) => (text.includes("\ufffd") ? notUtf8 : read(text));
  }
  const isDate = format === "date" || format === "moment";
  return (text) => {
    if (text.length > longestText) return { problem: `must have at most ${longestText} characters` };
    if (text.includes("\ufffd")) return notUtf8;
    if (/[\r\n]/.test(text)) return { problem: "has several lines" };
    const plain = withoutMark(text);
    if (shortened.test(plain))
      return {
        problem: `is a number that a spreadsheet has shortened: ${plain}. Export the file again, or make the column text there`,
        kind: "is a number that a spreadsheet has shortened. Export the file again, or make the column text there",
      };
    if (format === "e164") return readPhoneNumber(plain, country) ?? plain;
    if (!isDate) return plain;
    const readTime = format === "date" ? readDay : readMoment;
    const time = readTime(plain, dateFormat);
    // The service says which days don't exist. Here, a day that exists in another form is named.
    const isOther = time === undefined || (!isDay(time.slice(0, 10)) && formsOfDay(plain).length > 0);
    return isOther ? noDay(plain, dateFormat, format) : time;
  };
}

/** Of days of birth, a year of two digits that is in the future is of the century before. */
function birthReader(read: Column["read"]): Column["read"] {
  const today = new Date().toISOString();
  return (text) => {
    const day = read(text);
    if (typeof day !== "string" || day < today || text.includes(day.slice(0, 4))) return day;
    return `${Number(day.slice(0, 4)) - 100}${day.slice(4)}`;
  };
}

const notUtf8 = { problem: "is not UTF-8 (encoding Windows-1252 reads files of older spreadsheets)" };

/** What spreadsheets write instead of long numbers: 8.90123E+15. */
const shortened = /^\d(?:[.,]\d+)?E\+\d+$/;

/** Why a text is no day or time. If it has another form than the file, that is said. */
function noDay(text: string, form: DayForm | undefined, format: string): Problem {
  const { day = "", rest = "" } = readDayOf(text, form) ?? {};
  if (rest !== "" && isDay(day)) {
    if (format === "date") return { problem: "must be a day without a time" };
    const kind = "has a time that can't be read. Times are such as 18:30 or 6:30 PM";
    return { problem: `${kind}:${rest}`, kind };
  }
  if (/^[2-7]\d{4}(?:[.,]\d+)?$/.test(text)) {
    const kind =
      "is a spreadsheet's number of a day. Make the column a date there, and export the file again";
    return { problem: `${kind}: ${text}`, kind };
  }
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
