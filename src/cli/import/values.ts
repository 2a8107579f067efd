/** What the text of a field stands for. */
import { dateFields, type LineField, moneyFields } from "./kinds.ts";

/** Why a text is no value of its field; completes a sentence that begins with the field's name. */
export class Problem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export type ReadValue = (text: string) => string | number | Problem;

/**
 * Makes what reads a field. What the service checks is left to it.
 * @param decimals of the currency, when amounts are in its major unit
 */
export function valueReader(field: string, schema: LineField, decimals: number | undefined): ReadValue {
  if (schema.type === "integer") {
    if (!moneyFields.has(field)) return wholeNumber;
    return decimals === undefined ? minorUnits : (text) => majorUnits(text, decimals);
  }
  const longest = schema.maxLength ?? Number.POSITIVE_INFINITY;
  const isDate = dateFields.has(field);
  return (text) => {
    if (text.length > longest) return new Problem(`must have at most ${longest} characters`);
    if (text.includes("\ufffd")) return new Problem("is not UTF-8: convert the file, for example with iconv");
    return isDate ? withDashes(text) : text;
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

/** Exact: no amount goes through a binary fraction. */
function majorUnits(text: string, decimals: number): number | Problem {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return new Problem("must be an amount such as 12.50");
  const [, sign, whole = "", fraction = ""] = match;
  const kept = fraction.replace(/0+$/, "");
  if (kept.length > decimals) return new Problem(`has more than ${decimals} decimals`);
  const number = Number(`${sign}${whole}${kept.padEnd(decimals, "0")}`);
  return Number.isSafeInteger(number) ? number : new Problem("is too large");
}

/** 20260417 as 2026-04-17; whether there is such a day is for the service to say. */
function withDashes(text: string): string {
  return text.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3");
}

/** How many decimals the major unit of a currency has: 2 for EUR, 0 for JPY. */
export function decimalsOf(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return maximumFractionDigits;
}

/** An amount in minor units as people write it: 1,250.00 for 125000. */
export function majorText(amount: bigint | number, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, "0");
  const whole = BigInt(digits.slice(0, digits.length - decimals)).toLocaleString("en-US");
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
}

/** What the service says of money, in the units that the file has it in: "at least 0.01" for "at least 1". */
export function inMajorUnits(field: string, message: string, decimals: number | undefined): string {
  if (decimals === undefined || !moneyFields.has(field)) return message;
  return message.replace(/(?<= must be at (?:least|most) )\d+(?=\.$)/, (amount) =>
    majorText(BigInt(amount), decimals),
  );
}
