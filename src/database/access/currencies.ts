/** The currencies of ISO 4217 with their numbers of decimals. */
import { data } from "currency-codes";

/**
 * How many decimals the amounts of each currency have. Codes without a minor unit, such as XAU and XXX, have none.
 * `Intl` gives other numbers: it knows how many decimals are usually shown, and they change from version to version.
 */
const decimals: ReadonlyMap<string, number> = new Map([
  // Amendment 176 of the standard, which the package does not have yet.
  ["XCG", 2],
  ...data.map(({ code, digits }) => [code, digits] as const),
]);

/** @returns undefined for a text that is no code of ISO 4217 */
export function decimalsOf(currency: string): number | undefined {
  return decimals.get(currency);
}

/** @throws when the text is no code of ISO 4217 */
export function requiredDecimals(currency: string): number {
  const found = decimalsOf(currency);
  if (found === undefined) throw new Error(`${currency} is not a currency of ISO 4217`);
  return found;
}
