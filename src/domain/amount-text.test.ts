import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amountReadings, decimalSignOf, numberIn, readAmount, readTypedAmount } from "./amount-text.ts";

describe("an amount", () => {
  it.each([
    ["1500", 0, 1500],
    ["1500", 2, 150_000],
    ["-3", 2, -300],
    ["-0", 2, 0],
    ["12.50", 2, 1250],
    ["12,50", 2, 1250],
    ["-12,50", 2, -1250],
    ["1,234.50", 2, 123_450],
    ["1.234,50", 2, 123_450],
    ["1.234.567", 0, 1_234_567],
    ["1,234,567", 2, 123_456_700],
    ["1234.500", 3, 1_234_500],
    ["0.250", 3, 250],
    ["1.234,500", 3, 1_234_500],
    ["1 234,50", 2, 123_450],
    ["1\u202f234\u202f567,50", 2, 123_456_750],
    ["1'234.50", 2, 123_450],
    ["-1 234", 2, -123_400],
  ])("that is clear is read: %s with %d decimals", (text, decimals, amount) => {
    expect(readAmount(text, decimals)).toBe(amount);
    expect(readTypedAmount(text, decimals, ".")).toBe(amount);
  });

  it.each([
    ...(["12.500", "12,500", "1,250", "1.255", "-12.500"] as const).map((text) => [text, 2] as const),
    ...(["15.000", "1.500", "12.00", "1.5"] as const).map((text) => [text, 0] as const),
    ...(["1,250", "1.250", "-1.250", "12.50"] as const).map((text) => [text, 3] as const),
    ...(["12.5", "12.505", "0.250", "1,2345", "1,23,45", "01,234.50", "1.234.50", "1,234.5"] as const).map(
      (text) => [text, 2] as const,
    ),
    ...(["", "1e3", "12.", ".50", "- 3", "99999999999999999999"] as const).map((text) => [text, 2] as const),
  ])("that is not clear is not read: %s with %d decimals", (text, decimals) => {
    expect(readAmount(text, decimals)).toBeUndefined();
  });

  it.each([
    ["12.500", 2, ".", 1250],
    ["12.500", 2, ",", 1_250_000],
    ["12.5", 2, ".", 1250],
    ["15.000", 0, ",", 15_000],
    ["15.000", 0, ".", 15],
    ["-1,250", 3, ",", -1250],
    ["1,250", 3, ".", 1_250_000],
    ["12.505", 2, ".", undefined],
    ["12,50", 2, ".", undefined],
  ] as const)(
    "is read in a form that is known: %s with %d decimals and %s",
    (text, decimals, sign, amount) => {
      expect(readAmount(text, decimals, sign)).toBe(amount);
    },
  );

  it.each([
    ["1.250", 3, 1250],
    ["1,250", 3, undefined],
    ["1,250", 2, undefined],
    ["12.500", 2, undefined],
    ["12.5", 2, 1250],
    ["12,5", 2, undefined],
    ["15,000", 0, 15_000],
    ["15.000", 0, undefined],
    ["12.505", 2, undefined],
  ])("is read in a form of the console: %s with %d decimals", (text, decimals, amount) => {
    expect(readTypedAmount(text, decimals, ".")).toBe(amount);
  });

  it("has all its meanings in a message", () => {
    expect(amountReadings("12.500", 2)).toEqual([
      { sign: ".", amount: 1250 },
      { sign: ",", amount: 1_250_000 },
    ]);
    expect(amountReadings("12.505", 2)).toEqual([{ sign: ",", amount: 1_250_500 }]);
  });
});

describe("the number in an amount", () => {
  const isEuro = (sign: string) => sign === "€" || sign === "EUR";
  it.each([
    ["5", "5"],
    ["€5.00", "5.00"],
    ["€ 1.234,50", "1.234,50"],
    ["1 234,50 €", "1 234,50"],
    ["EUR 5", "5"],
    ["5EUR", "5"],
    ["(19.99)", "-19.99"],
    ["(€19.99)", "-19.99"],
    ["-€5", "-5"],
    ["€-5", "-5"],
    ["−5", "-5"],
    ["'901.50", "901.50"],
    ["19.99-", "-19.99"],
    ["+12.50 €", "12.50"],
    ["€ .50", "0.50"],
    ["-,50", "-0,50"],
    ["5.-", "5"],
    ["€ 5,–", "5"],
    ["5,- €", "5"],
    ["5.--", "5"],
    ["-5-", "-5-"],
    ["+-5", "+-5"],
    ["$5.00", undefined],
    ["5 USD", undefined],
    ["€5 EUR", "€5 EUR"],
    ["(-5)", "(-5)"],
    ["--5", "--5"],
    ["M15", "M15"],
    ["five", "five"],
    ["", ""],
  ])("%j is %j", (text, number) => expect(numberIn(text, isEuro)).toBe(number));

  it("is not looked for in a text that is too long for one", () => {
    const blanks = " ".repeat(200_000);
    for (const text of [`(${blanks}x`, `(1${blanks}`, `€${"1".repeat(100)}`])
      expect(numberIn(text, isEuro)).toBe(text);
  });
});

describe("the sign before decimals", () => {
  it.each([
    ["1,234.50", 2, "."],
    ["1,00,000", 2, "."],
    ["1.234,50", 2, ","],
    ["1.234.567", 2, ","],
    ["12.5", 2, "."],
    ["12,50", 2, ","],
    ["1234.500", 2, "."],
    ["0,250", 3, ","],
    ["1 234,500", 3, ","],
    ["15.990", 0, ","],
    ["15,990", 0, "."],
    ["15.000", 0, undefined],
    ["12.500", 2, undefined],
    ["12.505", 2, undefined],
    ["1.250", 3, undefined],
    ["1234", 2, undefined],
    ["1.23.4", 2, undefined],
  ] as const)("of %s with %d decimals is %s", (text, decimals, sign) => {
    expect(decimalSignOf(text, decimals)).toBe(sign);
  });

  it.each([".", ","] as const)("is never the other one of a file that is written with %s", (sign) => {
    const other = sign === "." ? "," : ".";
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), fc.boolean(), (amount, isGrouped) => {
        const digits = String(Math.abs(amount)).padStart(3, "0");
        const whole = digits.slice(0, -2);
        const grouped = isGrouped ? whole.replace(/\B(?=(\d{3})+$)/g, other) : whole;
        expect(decimalSignOf(`${grouped}${sign}${digits.slice(-2)}`, 2)).toBe(sign);
      }),
    );
  });
});

/** Every way to read a text, with one sign before decimals and the other one between groups of three: in 1/1000. */
function meanings(text: string): Set<number> {
  const found = new Set<number>();
  const digits = text.replace("-", "");
  for (const [point, comma] of [
    [".", ","],
    [",", "."],
  ] as const) {
    const [whole = "", ...fractions] = digits.split(point);
    if (fractions.length > 1) continue;
    const groups = whole.split(comma);
    const isGrouped =
      groups.length === 1 ||
      (/^[1-9]\d{0,2}$/.test(groups[0] ?? "") && groups.slice(1).every((one) => /^\d{3}$/.test(one))) ||
      // As in India.
      (comma === "," && groups.length > 2 && /^[1-9]\d?(?:,\d\d)+,\d{3}$/.test(whole));
    const [fraction = ""] = fractions;
    if (!isGrouped || fraction.includes(comma) || groups.some((one) => one === "")) continue;
    found.add(Number(groups.join("") + fraction.padEnd(3, "0").slice(0, 3)));
  }
  return found;
}

const text = fc.string({ unit: fc.constantFrom(..."0123459.,"), minLength: 1, maxLength: 10 });

it.each([0, 2, 3])("whatever is read has one meaning, in a currency with %d decimals", (decimals) => {
  const scale = 10 ** (3 - decimals);
  fc.assert(
    fc.property(text, fc.boolean(), (digits, isNegative) => {
      const amount = readAmount(isNegative ? `-${digits}` : digits, decimals);
      if (amount === undefined) return;
      expect([...meanings(digits)]).toEqual([Math.abs(amount) * scale]);
    }),
    { numRuns: 5000 },
  );
});

it.each([0, 2, 3])("what is written with all decimals is read, with %d decimals", (decimals) => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (amount) => {
      const digits = String(Math.abs(amount)).padStart(decimals + 1, "0");
      const [whole, fraction] = [
        digits.slice(0, digits.length - decimals),
        digits.slice(digits.length - decimals),
      ];
      const sign = amount < 0 ? "-" : "";
      const grouped = sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals === 0 ? "" : `.${fraction}`);
      expect(readTypedAmount(grouped, decimals, ".")).toBe(amount);
      expect(readAmount(grouped, decimals, ".")).toBe(amount);
    }),
  );
});
