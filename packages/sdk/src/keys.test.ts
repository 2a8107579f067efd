/** Keys of sales: the same for the same receipt, and different for all others. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Receipt, saleKey } from "./keys.ts";

it("has the till, the business day and the number of the receipt", () => {
  expect(saleKey({ till: 1, day: "2026-04-17", receipt: "000812" })).toBe("sale/2026-04-17/1/000812");
  expect(saleKey({ location: 7, till: "Bar", day: "2026-04-17", receipt: 1 })).toBe(
    "sale/2026-04-17/7:Bar/1",
  );
});

const part = fc.oneof(
  fc.nat(20),
  fc.constantFrom("a", "a/b", "b", "a:b", "1", "1:2", "%2F", "é", "0 1", "points"),
  fc.string({ minLength: 1, maxLength: 5, unit: "grapheme" }).filter((text) => text.trim() !== ""),
);
const receipt = fc.record(
  { location: part, till: part, day: fc.constantFrom("2026-04-17", "2026-04-18"), receipt: part },
  { requiredKeys: ["till", "day", "receipt"] },
) as fc.Arbitrary<Receipt>;
const nameOf = ({ location, till, day, receipt: number }: Receipt) =>
  JSON.stringify([location === undefined ? null : String(location), String(till), day, String(number)]);

it("is another one for another receipt, and one that the API accepts", () => {
  fc.assert(
    fc.property(receipt, receipt, (one, other) => {
      expect(saleKey(one) === saleKey(other)).toBe(nameOf(one) === nameOf(other));
      expect(saleKey(one)).toMatch(/^[\x21-\x7e]{1,255}$/);
      expect(saleKey(one)).not.toBe(`${saleKey(other)}/points`);
    }),
  );
});

it.each([
  { till: 1, receipt: 1 },
  { till: 1, day: "17.04.2026", receipt: 1 },
  { till: 1, day: "2026-02-30", receipt: 1 },
  { till: "", day: "2026-04-17", receipt: 1 },
  { till: 1, day: "2026-04-17" },
  { till: 1, day: "2026-04-17", receipt: Number.NaN },
  { till: 1, day: "2026-04-17", receipt: "9".repeat(250) },
])("rejects what would make two receipts one: %j", (wrong) => {
  expect(() => saleKey(wrong as Receipt)).toThrow(TypeError);
});
