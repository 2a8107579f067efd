/** Numbers, and amounts in minor units, as people read and write them in the language of the console. */
import { amountReadings, type DecimalSign, readTypedAmount } from "../../../../src/domain/amount-text.ts";
import { language } from "./en/language.ts";

/** @param decimalText 123456 with two decimals is "1,234.56" @param editedDecimal the text in a field: 123450 is "1234.50" @param parseDecimal the amount that a person has written; undefined for a text that is no clear amount @param decimalMeanings the texts of the amounts that a text can mean, if it is not clear */
export function decimalsIn(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const sign = numbers.formatToParts(1.5).find(({ type }) => type === "decimal")?.value as DecimalSign;
  const partsOf = (minorUnits: number, decimals: number) => {
    const digits = String(Math.abs(minorUnits)).padStart(decimals + 1, "0");
    const fraction = decimals === 0 ? "" : sign + digits.slice(-decimals);
    return { whole: digits.slice(0, digits.length - decimals), fraction };
  };
  const decimalText = (minorUnits: number, decimals: number) => {
    // Not an amount, such as an average.
    if (!Number.isSafeInteger(minorUnits)) return numbers.format(minorUnits / 10 ** decimals);
    const { whole, fraction } = partsOf(minorUnits, decimals);
    return (minorUnits < 0 ? "−" : "") + numbers.format(BigInt(whole)) + fraction;
  };
  const editedDecimal = (minorUnits: number, decimals: number) => {
    const { whole, fraction } = partsOf(minorUnits, decimals);
    return (minorUnits < 0 ? "-" : "") + whole + fraction;
  };
  const parseDecimal = (text: string, decimals: number) => readTypedAmount(typedText(text), decimals, sign);
  const decimalMeanings = (text: string, decimals: number) =>
    amountReadings(typedText(text), decimals).map(({ amount }) => decimalText(amount, decimals));
  return { decimalText, editedDecimal, parseDecimal, decimalMeanings };
}

export const { decimalText, editedDecimal, parseDecimal, decimalMeanings } = decimalsIn(language.locale);

/** 1234 is "1,234". */
export const wholeText = (count: number) => decimalText(count, 0);

/** The text of an amount in a file, which is the same in all languages: 123450 is "1234.50". */
export const { editedDecimal: filedDecimal } = decimalsIn("en");

const typedText = (text: string) => text.trim().replace(/^\+/, "").replace(/^−/, "-");

const compact = new Intl.NumberFormat(language.locale, { notation: "compact", maximumSignificantDigits: 3 });

/** 12500 is "12.5K", for a place where a long number does not fit. */
export function compactText(value: number): string {
  return compact.format(value);
}

/** One of some words, by the count that it belongs to. */
export const countedText = (count: number, one: string, other: string) =>
  `${wholeText(count)} ${new Intl.PluralRules(language.locale).select(count) === "one" ? one : other}`;

/** By how much of an earlier number another one differs, such as +12%; empty when that can't be said. */
export function changeText(now: unknown, before: unknown): string {
  const [one, other] = [Number(now), Number(before)];
  if (!(other > 0) || !Number.isFinite(one) || one === other || now === null) return "";
  const form = { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 0 } as const;
  return `(${new Intl.NumberFormat(language.locale, form).format((one - other) / other).replace("-", "−")})`;
}
