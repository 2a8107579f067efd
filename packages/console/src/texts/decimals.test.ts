import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalMeanings, decimalsIn, decimalText, parseDecimal } from "./decimals.ts";

describe("amounts", () => {
  it.each([
    [0, 2, "0.00"],
    [5, 2, "0.05"],
    [-5, 2, "−0.05"],
    [123456789, 2, "1,234,567.89"],
    [1234, 0, "1,234"],
    [1234567, 3, "1,234.567"],
    [9007199254740991, 2, "90,071,992,547,409.91"],
    [1.5, 0, "1.5"],
    [Number.NaN, 2, "NaN"],
  ])("shows %d with %d decimals", (amount, decimals, text) => {
    expect(decimalText(amount, decimals)).toBe(text);
  });

  it.each([
    ["12.5", 2, 1250],
    ["12,50", 2, 1250],
    [" 12 ", 2, 1200],
    ["-3", 0, -3],
    ["12.505", 2, undefined],
    ["1,234.50", 2, 123450],
    ["−12.50", 2, -1250],
    ["+12.50", 2, 1250],
    ["1,250", 3, undefined],
    ["1,250", 2, undefined],
    ["15.000", 0, undefined],
    ["15,000", 0, 15000],
    ["12.5", 0, undefined],
    ["", 2, undefined],
    ["1e3", 2, undefined],
    ["99999999999999999999", 0, undefined],
  ])("reads %j with %d decimals", (text, decimals, amount) => {
    expect(parseDecimal(text, decimals)).toBe(amount);
  });

  it("shows both meanings of what is not clear", () => {
    expect(decimalMeanings("1,250", 3)).toEqual(["1,250.000", "1.250"]);
  });
});

describe("amounts in other languages", () => {
  it.each([
    ["de-DE", "1.234.567,89", "1234567,89"],
    ["fr-FR", "1\u202F234\u202F567,89", "1234567,89"],
    ["es-ES", "1.234.567,89", "1234567,89"],
  ])("in %s are %s", (locale, shown, edited) => {
    expect(decimalsIn(locale).decimalText(123456789, 2)).toBe(shown);
    expect(decimalsIn(locale).editedDecimal(-123456789, 2)).toBe(`-${edited}`);
  });

  it.each([
    ["1.234,50", 2, 123450],
    ["1 234,50", 2, 123450],
    ["12,5", 2, 1250],
    ["12.50", 2, 1250],
    ["12.505", 2, undefined],
    ["1.250", 2, undefined],
    ["1.250", 3, undefined],
    ["1,250", 3, 1250],
    ["15.000", 0, 15000],
    ["15,000", 0, undefined],
  ])("German reads %j with %d decimals", (text, decimals, amount) => {
    expect(decimalsIn("de-DE").parseDecimal(text, decimals)).toBe(amount);
  });

  it.each(["en-GB", "de-DE", "fr-FR", "es-ES"])(
    "in %s are read as a field and a page show them",
    (locale) => {
      const own = decimalsIn(locale);
      fc.assert(
        fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 4 }), (amount, decimals) => {
          expect(own.parseDecimal(own.editedDecimal(amount, decimals), decimals)).toBe(amount);
          expect(own.parseDecimal(own.decimalText(amount, decimals), decimals)).toBe(amount);
        }),
      );
    },
  );
});
