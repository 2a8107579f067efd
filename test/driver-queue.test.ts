/** The queue of the database driver, which scripts/patch-postgres.mjs mends; every statement passes through some. */
import fc from "fast-check";
import { expect, it } from "vitest";

interface Queue<Item> {
  readonly length: number;
  push(item: Item): Item;
  shift(): Item | undefined;
  remove(item: Item): Item | null;
}

const { default: makeQueue } = (await import(
  new URL("../node_modules/postgres/src/queue.js", import.meta.url).href
)) as { default: <Item>() => Queue<Item> };

it("holds what was put into it, in order, whatever is taken out", () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant("push" as const) },
    { weight: 2, arbitrary: fc.constant("shift" as const) },
    { weight: 1, arbitrary: fc.nat(60) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: "max" }), (steps) => {
      const queue = makeQueue<number>();
      let expected: number[] = [];
      let next = 0;
      for (const what of steps) {
        if (what === "push") {
          expected.push(next);
          queue.push(next++);
        } else if (what === "shift") {
          if (expected.length > 0) expect(queue.shift()).toBe(expected.shift());
        } else {
          const item = next - what;
          expect(queue.remove(item)).toBe(expected.includes(item) ? item : null);
          expected = expected.filter((other) => other !== item);
        }
        expect(queue.length).toBe(expected.length);
      }
    }),
  );
});

it("does not get slower with what has passed through it", () => {
  const queue = makeQueue<object>();
  const [one, other] = [{}, {}];
  queue.push(one);
  queue.push(other);
  const milliseconds = (rounds: number) => {
    const startedAt = performance.now();
    for (let round = 0; round < rounds; round++) {
      const item = queue.shift() as object;
      // As a connection is used that waited among others: it is looked for where it was, and put back.
      queue.remove(item);
      queue.push(item);
    }
    return performance.now() - startedAt;
  };
  /** The machine may have been at something else. */
  const leastOf = (times: number) => Math.min(...Array.from({ length: times }, () => milliseconds(1000)));
  const early = leastOf(3);
  milliseconds(200_000);
  expect(leastOf(5)).toBeLessThan(10 * early + 10);
});
