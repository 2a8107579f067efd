/** The names of currencies, countries and time zones, as the browser knows them. */

type Choice = Readonly<{ value: string; label: string }>;

const displayed = (type: "region" | "currency", codes: readonly string[]) => {
  const names = new Intl.DisplayNames("en", { type, fallback: "none" });
  return codes.flatMap((value) => (names.of(value) ? { value, label: `${names.of(value)} (${value})` } : []));
};
const months = [..."0123456789", "10", "11"].map((month) =>
  new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" }).format(Date.UTC(2000, Number(month))),
);
export const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
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
