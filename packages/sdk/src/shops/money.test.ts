import { describe, expect, it } from "vitest";
import { majorUnits, minorUnits } from "./money.ts";

describe("amounts", () => {
  it.each([
    ["yen", 1980, 0, 1980],
    ["cents", 19.99, 2, 1999],
    ["cents, of a sum that is not exact", 0.1 + 0.2, 2, 30],
    ["cents, of a half that is stored as less", 1.005, 2, 101],
    ["fils", 1.2345, 3, 1235],
    ["fils, of a half that is stored as less", 4.0005, 3, 4001],
    ["yen, of a shop that stores hundredths", 198_000, -2, 1980],
    ["yen, of a shop that stores hundredths of half a yen", 198_050, -2, 1981],
    ["fils, of a shop that stores hundredths", 123, 1, 1230],
    ["nothing", 0, 3, 0],
    ["cents, of a very small number", 1e-7, 2, 0],
  ])("are whole %s", (_, amount, places, units) => {
    expect(minorUnits(amount, places)).toBe(units);
  });

  it.each([0, 2, 3])("come back with %i decimals", (decimals) => {
    for (const units of [0, 1, 5, 99, 1005, 12_345, 999_999_999]) {
      expect(minorUnits(majorUnits(units, decimals), decimals)).toBe(units);
    }
  });
});
