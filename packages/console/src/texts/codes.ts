/** The names of currencies, countries and time zones, as the browser knows them. */

type Choice = Readonly<{ value: string; label: string }>;

const displayed = (type: "region" | "currency", codes: readonly string[]) => {
  const names = new Intl.DisplayNames("en", { type, fallback: "none" });
  return codes.flatMap((value) => (names.of(value) ? { value, label: `${names.of(value)} (${value})` } : []));
};
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

const standard: Readonly<Record<string, (() => readonly Choice[]) | undefined>> = {
  time_zone: () => Intl.supportedValuesOf("timeZone").map((value) => ({ value, label: value })),
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
