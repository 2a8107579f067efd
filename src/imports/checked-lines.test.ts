import fc from "fast-check";
import { expect, it } from "vitest";
import { CheckedLines } from "./checked-lines.ts";

const digest = fc.integer({ min: 0, max: 400 }).map(String);
const line = fc.option(fc.integer({ min: 1, max: 2 ** 30 }), { nil: undefined });
const value = fc.oneof(fc.constantFrom(null, 0, 7, 2 ** 53 - 1, "", "Ana"), fc.string());
const kept = fc.oneof(
  fc.record({ digest, line, values: fc.tuple(value, value, value) }),
  fc.record({ digest: digest.map((text) => `without values ${text}`), line, values: fc.constant([]) }),
);

it("finds what was kept last under a digest, as numbers", () => {
  fc.assert(
    fc.property(fc.array(kept, { maxLength: 1500, size: "max" }), (all) => {
      const lines = new CheckedLines();
      const last = new Map<string, (typeof all)[number]>();
      for (const one of all) {
        lines.add(one);
        last.set(one.digest, one);
      }
      for (const { digest, line, values } of last.values()) {
        const numbers = values.map((one) => lines.numberOf(one));
        expect(lines.find(digest)).toEqual({ line, values: numbers });
      }
      expect(lines.find("another")).toBeUndefined();
    }),
    { numRuns: 20 },
  );
});

it("keeps numbers as they are, and texts so that others differ", () => {
  const lines = new CheckedLines();
  const texts = ["", "a", "b", "ab", "ba", "Ana", "ana", "0", "-1"];
  const numbers = [...texts, null, 0, 5, 2 ** 53 - 1].map((one) => lines.numberOf(one));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.slice(-4)).toEqual([-1, 0, 5, 2 ** 53 - 1]);
});
