/** Rows of CSV files. */
import { stringify } from "csv-stringify/sync";

/** One line of CSV as RFC 4180 has it, with its end. */
export function csvLine(values: readonly unknown[], delimiter = ","): string {
  // A carriage return ends a line for some readers, and some remove blanks around a value.
  return stringify([[...values]], { delimiter, quoted_match: /^\s|\s$|\r/, cast: { boolean: String } });
}

/** A number, or a phone number as members have it: a spreadsheet makes no formula of it. */
const signedNumber = /^[+-]\d+(?:\.\d+)?$/;

/**
 * Puts a ' before text that a spreadsheet would run as a formula, because members choose their names. The library's
 * `escape_formulas` would also mark phone numbers.
 */
export function withoutFormula(value: unknown): unknown {
  if (typeof value !== "string" || !/^[=@\t\r+-]/.test(value) || signedNumber.test(value)) return value;
  return `'${value}`;
}
