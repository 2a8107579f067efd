/** CSV that a spreadsheet reads as text and numbers, and never as a formula. The console writes it by the same functions. */

/** What a spreadsheet takes for the beginning of a formula, also in the wide forms of East Asian keyboards. */
const begins = "=+@\\-＝＋＠－";
/** At the start of a cell, also where a spreadsheet with another delimiter begins one within this text. It skips blanks and quotes. */
const formula = new RegExp(`(?<=^|[;\\t\\r\\n])(?=[\\s"]*[${begins}])|^(?=[\\t\\r])`, "g");

/** A number or a phone number, which a spreadsheet does not read as a formula. */
const signedNumber = /^[+-]\d+(?:\.\d+)?$/;

/** Puts a ' before each part of a text that a spreadsheet would run as a formula, because members choose their names. */
export function withoutFormula(text: string): string {
  return signedNumber.test(text) ? text : text.replace(formula, "'");
}

const mark = new RegExp(`(?<=^|[;\\t\\r\\n])'(?=[\\s"]*[${begins}])|^'(?=[+\\d\\t\\r])`, "g");

/** The text of a cell without the marks of `withoutFormula`, or that by which spreadsheets keep digits as text. */
export function withoutMark(text: string): string {
  return text.replace(mark, "");
}

/**
 * A line of CSV (RFC 4180), without its line break.
 * @param options `exact`: texts stay as they are
 */
export function csvLine(values: readonly unknown[], { exact = false } = {}): string {
  return values.map((value) => quoted(exact ? textOf(value) : safeText(value))).join(",");
}

const safeText = (value: unknown) => (typeof value === "string" ? withoutFormula(value) : textOf(value));

function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}

/** Some readers take a carriage return for the end of a line, or remove blanks around a value. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
