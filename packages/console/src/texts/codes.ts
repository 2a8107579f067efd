/** The names of currencies, countries and time zones, as the browser knows them. */

import { language } from "./en/language.ts";

type Choice = Readonly<{ value: string; label: string }>;

/** What browsers know, and the service does not: regions without phone numbers of their own, and currencies that have ended. */
const unusable = "AQ BV CP CQ DG EA EU EZ GS HM IC PN QO TF UM UN XA XB ZZ HRK SLL ZWL".split(" ");

const displayed = (type: "region" | "currency", codes: readonly string[]) => {
  const names = new Intl.DisplayNames(language.locale, { type, fallback: "none" });
  const { compare } = new Intl.Collator(language.locale);
  return codes
    .filter((code) => names.of(code) && !unusable.includes(code))
    .map((value) => ({ value, label: `${names.of(value)} (${value})` }))
    .sort((one, other) => compare(one.label, other.label));
};
const datesOf = (form: Intl.DateTimeFormatOptions, times: readonly number[]) =>
  times.map((time) => new Intl.DateTimeFormat(language.locale, { ...form, timeZone: "UTC" }).format(time));
const months = datesOf(
  { month: "long" },
  [..."0123456789", "10", "11"].map((month) => Date.UTC(2000, Number(month))),
);
/** From Monday on. */
export const weekdays = datesOf(
  { weekday: "short" },
  [..."1234567"].map((day) => Date.UTC(2001, 0, Number(day))),
);
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

const standard: Readonly<Record<string, (() => readonly Choice[]) | undefined>> = {
  birthday_month: () => months.map((label, index) => ({ value: String(index + 1), label })),
  weekdays: () => weekdays.map((label, index) => ({ value: String(index + 1), label })),
  // The browser leaves UTC out.
  time_zone: () =>
    [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])].map((value) => ({ value, label: value })),
  currency: () => displayed("currency", Intl.supportedValuesOf("currency")),
  country: () =>
    displayed(
      "region",
      // A code of a country that has another one now is not its canonical code.
      letters
        .flatMap((one) => letters.map((other) => one + other))
        .filter((code) => Intl.getCanonicalLocales(`und-${code}`)[0]?.endsWith(code)),
    ),
};

/** The codes that a field can have; undefined for another field. */
export function codesOf(field: string): readonly Choice[] | undefined {
  return standard[field]?.();
}
