/** The currencies of ISO 4217 with their numbers of decimals. */
import { data } from "currency-codes";

/** How many decimals the amounts of each currency have. Codes without a minor unit, such as XAU and XXX, have none. */
const decimals: ReadonlyMap<string, number> = new Map([
  // Amendment 176 of the standard. The package does not have it yet.
  ["XCG", 2],
  ...data.map(({ code, digits }) => [code, digits] as const),
]);

/** @returns undefined for a text that is not a code of ISO 4217 */
export function decimalsOf(currency: string): number | undefined {
  return decimals.get(currency);
}

/** @throws when the text is not a code of ISO 4217 */
export function requiredDecimals(currency: string): number {
  const found = decimalsOf(currency);
  if (found === undefined) throw new Error(`${currency} is not a currency of ISO 4217`);
  return found;
}
