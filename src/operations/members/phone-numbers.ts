/** Reads phone numbers in the forms that people write: with separators, and in the national form of a country. */
import {
  AsYouType,
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js/min";
import { fold, isPhoneNumber } from "../../domain/text.ts";

/** Whether a text is the ISO 3166-1 alpha-2 code of a country that has phone numbers. */
export function isCountry(code: string): boolean {
  return isSupportedCountry(code);
}

/** The start of a number with its country code. In some countries, people dial other digits than 00. */
const leadingZeros = /^00(?=[1-9])/;

/**
 * Reads a phone number. Spaces, hyphens, dashes, dots, slashes and parentheses can be anywhere in it.
 * @param text such as `+33612345678`, `+44 (0)20 7946 0018`, `0033 6 12 34 56 78`, or with a country `06 12 34 56 78`
 * @param country the country whose national form is understood, as an ISO 3166-1 alpha-2 code such as FR. Without it, the
 *   number must begin with + or 00.
 * @returns the number in E.164 format with its plus sign; undefined if the text is not a number, or not one of the country.
 *   A text that is in E.164 format is returned without changes.
 */
export function readPhoneNumber(text: string, country?: string | null): string | undefined {
  if (isPhoneNumber(text)) return text;
  const written = withoutSeparators(text);
  if (written === undefined) return undefined;
  // The number can be valid, although the library does not know its range.
  const digits = written.replace(leadingZeros, "+").replace(/[()]/g, "");
  return validNumber(written, country) ?? (isPhoneNumber(digits) ? digits : undefined);
}

/** The fewest and the most digits of a number with its area code. */
const nationalNumber = /^[\d()]*$/;
const isLongEnough = (digits: string) => digits.length >= 7 && digits.length <= 15;

/** Whether a text can be a whole number in the national form of some country. */
export function isNational(text: string): boolean {
  const written = withoutSeparators(text);
  return (
    written !== undefined &&
    !leadingZeros.test(written) &&
    nationalNumber.test(written) &&
    isLongEnough(written.replace(/\D/g, ""))
  );
}

/** With fewer digits in national form, a search would find most members. */
const fewestDigits = 3;

/** Reads a phone number or its beginning, for searches. In France, `06 12` is `+33612`. @returns undefined for other text */
export function readPhoneNumberStart(text: string, country?: string | null): string | undefined {
  const written = withoutSeparators(text);
  if (written === undefined || written.replace(/\D/g, "").length < fewestDigits) return undefined;
  const typed = new AsYouType(inCountry(country));
  typed.input(written);
  return validNumber(written, country) ?? typed.getNumberValue();
}

/** @returns undefined for a text that has other characters than a phone number */
function withoutSeparators(text: string): string | undefined {
  const written = fold(text).replace(/[\s./-]/g, "");
  return /^\+?[\d()]{1,32}$/.test(written) ? written : undefined;
}

function validNumber(written: string, country?: string | null): string | undefined {
  // In some countries, numbers in national form begin with 00.
  for (const text of [written, written.replace(leadingZeros, "+")]) {
    const number = parsePhoneNumberFromString(text, { ...inCountry(country), extract: false });
    if (number?.isValid()) return number.number;
  }
  return undefined;
}

const inCountry = (country?: string | null) =>
  country ? { defaultCountry: country as CountryCode } : undefined;
