import fc from "fast-check";
import { expect, it } from "vitest";
import { IdsByBlock } from "./ids-by-block.ts";

const id = fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.maxSafeInteger().map(Math.abs));
const changes = fc.array(fc.record({ id, there: fc.boolean() }), { maxLength: 60 });

it("has the ids that a set would have, the highest first", () => {
  fc.assert(
    fc.property(fc.array(changes), fc.nat(150), fc.integer({ min: 1, max: 150 }), (rounds, offset, count) => {
      let ids = new IdsByBlock([]);
      const set = new Set<number>();
      for (const round of rounds) {
        const before = ids.highest(0, ids.size);
        const after = ids.with(round);
        expect(ids.highest(0, ids.size)).toEqual(before);
        ids = after;
        for (const { id, there } of round) {
          if (there) set.add(id);
          else set.delete(id);
        }
      }
      const descending = [...set].sort((a, b) => b - a);
      expect(ids.size).toBe(set.size);
      expect(ids.highest(offset, count)).toEqual(descending.slice(offset, offset + count));
    }),
  );
});
