/** The names of currencies, countries and time zones, as the browser knows them. */

import { language } from "./en/language.ts";

type Choice = Readonly<{ value: string; label: string }>;

const displayed = (type: "region" | "currency", codes: readonly string[]) => {
  const names = new Intl.DisplayNames(language.locale, { type, fallback: "none" });
  return codes.flatMap((value) => (names.of(value) ? { value, label: `${names.of(value)} (${value})` } : []));
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
      letters.flatMap((one) => letters.map((other) => one + other)),
    ),
};

/** The codes that a field can have; undefined for another field. */
export function codesOf(field: string): readonly Choice[] | undefined {
  return standard[field]?.();
}
