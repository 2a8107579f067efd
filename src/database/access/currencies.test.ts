import { data } from "currency-codes";
import { expect, it } from "vitest";
import { decimalsOf } from "./currencies.ts";

it.each([
  ...(["EUR", "HUF", "COP", "IDR", "PKR", "LBP", "ALL", "AFN", "MMK", "MGA", "MRU", "XCG"] as const).map(
    (code) => [code, 2] as const,
  ),
  ["JPY", 0],
  ["ISK", 0],
  ["IQD", 3],
  ["KWD", 3],
  ["CLF", 4],
  // These have no minor unit.
  ["XAU", 0],
  ["XXX", 0],
  ["DEM", undefined],
  ["eur", undefined],
] as const)("%s has %s decimals", (currency, decimals) => {
  expect(decimalsOf(currency)).toBe(decimals);
});

it("adds only what the package does not have", () => {
  expect(data.some(({ code }) => code === "XCG")).toBe(false);
});
