/** Amounts in minor units as people read and write them. */
import { amountReadings, readTypedAmount } from "../../../../src/domain/amount-text.ts";

/** 123456 with two decimals is "1,234.56". */
export function decimalText(minorUnits: number, decimals: number): string {
  const digits = Math.abs(minorUnits)
    .toString()
    .padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  const sign = minorUnits < 0 ? "−" : "";
  return sign + whole + (decimals === 0 ? "" : `.${digits.slice(-decimals)}`);
}

/** 1234 is "1,234". */
export const wholeText = (count: number) => decimalText(count, 0);

/** What a person edits: "1234.5" and "1,234.50" are 123450 with two decimals. @returns undefined for a text that is no clear amount */
export function parseDecimal(text: string, decimals: number): number | undefined {
  return readTypedAmount(typedText(text), decimals);
}

/** The texts of the amounts that a text can mean, if it is not clear. */
export function decimalMeanings(text: string, decimals: number): string[] {
  return amountReadings(typedText(text), decimals).map(({ amount }) => decimalText(amount, decimals));
}

const typedText = (text: string) => text.trim().replace(/^\+/, "").replace(/^−/, "-");

/** The text of an amount in a field: 123450 is "1234.50". */
export function editedDecimal(minorUnits: number, decimals: number): string {
  return decimalText(minorUnits, decimals).replaceAll(",", "").replace("−", "-");
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** 12500 is "12.5K", for a place where a long number does not fit. */
export function compactText(value: number): string {
  return compact.format(value);
}
