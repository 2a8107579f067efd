import fc from "fast-check";
import { expect, it } from "vitest";
import { BalanceTable } from "./balance-table.ts";

const contactIds = fc.oneof(
  fc.integer({ min: 1, max: 100 }),
  fc.maxSafeInteger().filter((number) => number > 0),
  fc.integer({ min: 1, max: 200 }).map((number) => number * 2 ** 32),
);
const balances = fc.maxSafeNat();

it("has what a map would have", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(contactIds, balances), { maxLength: 400 }), contactIds, (pairs, other) => {
      const [table, map] = [new BalanceTable(), new Map<number, number>()];
      for (const [contactId, balance] of pairs) {
        table.set(contactId, balance);
        map.set(contactId, balance);
      }
      const asked = [...map.keys(), other, other + 1, 0];
      expect(asked.map((contactId) => table.get(contactId))).toEqual(
        asked.map((contactId) => map.get(contactId)),
      );
      expect(table.size).toBe(map.size);
    }),
  );
});

/** Milliseconds to keep and find again a hundred thousand balances. */
function timeOf(contactId: (number: number) => number): number {
  const startedAt = performance.now();
  const table = new BalanceTable();
  for (let number = 1; number <= 100_000; number++) table.set(contactId(number), number);
  for (let number = 1; number <= 100_000; number++) {
    if (table.get(contactId(number)) !== number) expect.fail(`${number} is not found`);
  }
  return performance.now() - startedAt;
}

it.each([64, 4096, 2 ** 32])(
  "finds balances whose contact_ids are %d apart about as soon as others",
  (apart) => {
    const others = Math.max(...[1, 2, 3].map(() => timeOf((number) => number)));
    // Were they to meet in the same slots, each would be compared with thousands.
    expect(timeOf((number) => number * apart)).toBeLessThan(100 * others);
  },
);
