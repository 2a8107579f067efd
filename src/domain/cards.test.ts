import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canBeCardCode,
  cardCodeOf,
  cardKey,
  checkDigitOf,
  hasWrongCheckDigit,
  randomDigits,
} from "./cards.ts";

const random = fc.array(fc.nat({ max: 19 }), { minLength: randomDigits, maxLength: randomDigits });
const codes = random.map(cardCodeOf);

describe("a code", () => {
  it("has 16 digits, of which the last one is a check digit", () => {
    fc.assert(
      fc.property(codes, (code) => {
        expect(code).toMatch(/^[1789]\d{15}$/);
        expect(hasWrongCheckDigit(code)).toBe(false);
        expect(canBeCardCode(code)).toBe(true);
      }),
    );
  });

  it("has a check digit that another program computes in the same way", () => {
    // Examples of ISO/IEC 7812-1 and of its article in Wikipedia.
    expect([checkDigitOf("7992739871"), checkDigitOf("1789372997")]).toEqual(["3", "4"]);
  });

  it("with one wrong digit is found out", () => {
    const wrong = fc.tuple(codes, fc.nat({ max: 15 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(wrong, ([code, at, by]) => {
        const digit = (Number(code[at]) + by) % 10;
        expect(hasWrongCheckDigit(`${code.slice(0, at)}${digit}${code.slice(at + 1)}`)).toBe(true);
      }),
    );
  });

  it("with two neighbours exchanged is found out, but for 0 and 9", () => {
    fc.assert(
      fc.property(codes, fc.nat({ max: 14 }), (code, at) => {
        const [one, two] = [code[at], code[at + 1]] as [string, string];
        const isKnown = one !== two && ![one + two, two + one].includes("09");
        const exchanged = code.slice(0, at) + two + one + code.slice(at + 2);
        expect(hasWrongCheckDigit(exchanged)).toBe(isKnown);
      }),
    );
  });

  it("uses every digit that it is given", () => {
    const zeros = Array.from({ length: randomDigits }, () => 0);
    const all = zeros.map((_, at) => cardCodeOf(zeros.map((zero, index) => (index === at ? 3 : zero))));
    expect(new Set([cardCodeOf(zeros), ...all]).size).toBe(randomDigits + 1);
  });
});

describe("a number as it is typed", () => {
  it.each([
    ["7301 9482 1165 0347", "7301948211650347"],
    ["7301-9482‑1165–0347", "7301948211650347"],
    [" lc 0004711\u200e", "LC0004711"],
  ])("%s is compared as %s", (written, key) => {
    expect(cardKey(written)).toBe(key);
  });

  it.each([
    ["LC0004", true],
    ["LC004", false],
    ["x".repeat(32), true],
    ["x".repeat(33), false],
    ["CAFÉ-0004711", false],
    ["LC\u00000004711", false],
  ])("%j can be that of a card: %s", (number, can) => {
    expect(canBeCardCode(cardKey(number))).toBe(can);
  });

  it("has a check digit only if it has the length of the service's codes", () => {
    expect(["123456789", "LC00047110004711", "1234567890123456"].map(hasWrongCheckDigit)).toEqual([
      ...[false, false, true],
    ]);
  });
});
