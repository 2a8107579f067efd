/** Reads the text of a field, and writes amounts of money. */
import { longestText } from "../../operations/import-lines.ts";
import type { FieldSchema } from "../operations/field-options.ts";
import { dateFields, moneyFields } from "./kinds.ts";

/** Why a text is not a value of its field. The message completes a sentence that begins with the field's name. */
export class Problem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export type ReadValue = (text: string) => string | number | Problem;

/**
 * Makes the function that reads a field. It checks only what a request can't carry; the service checks the rest.
 * @param decimals of the currency, when amounts are in its major unit
 */
export function valueReader(field: string, schema: FieldSchema, decimals: number | undefined): ReadValue {
  if (schema.type === "integer") {
    if (!moneyFields.has(field)) return wholeNumber;
    return decimals === undefined ? minorUnits : (text) => majorUnits(text, decimals);
  }
  const isDate = dateFields.has(field);
  return (text) => {
    if (text.length > longestText) return new Problem(`must have at most ${longestText} characters`);
    if (text.includes("\ufffd")) return new Problem("is not UTF-8: convert the file, for example with iconv");
    if (/[\r\n]/.test(text)) return new Problem("goes over several lines");
    // 20260417 is 2026-04-17. The service checks that the day exists.
    return isDate ? text.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3") : text;
  };
}

function wholeNumber(text: string): number | Problem {
  const number = Number(text);
  if (!/^-?(?:0|[1-9]\d*)$/.test(text)) return new Problem("must be a whole number");
  return Number.isSafeInteger(number) ? number : new Problem("is too large");
}

function minorUnits(text: string): number | Problem {
  if (!/^-?\d+\.\d+$/.test(text)) return wholeNumber(text);
  return new Problem("must be a whole number of minor units; --major-units reads amounts such as 12.50");
}

/** Exact: amounts never become binary fractions. */
function majorUnits(text: string, decimals: number): number | Problem {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return new Problem("must be an amount such as 12.50");
  const [, sign, whole = "", fraction = ""] = match;
  const kept = fraction.replace(/0+$/, "");
  if (kept.length > decimals) return new Problem(`has more than ${decimals} decimals`);
  const number = Number(`${sign}${whole}${kept.padEnd(decimals, "0")}`);
  return Number.isSafeInteger(number) ? number : new Problem("is too large");
}
