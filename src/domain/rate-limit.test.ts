import fc from "fast-check";
import { expect, it } from "vitest";
import { type Bucket, pass, type RateLimit } from "./rate-limit.ts";

const limits = fc.record({
  perSecond: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constant(10 / 60)),
  burst: fc.integer({ min: 1, max: 400 }),
});
/** Milliseconds between one request and the next. */
const arrivals = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 5000 })), { maxLength: 300 });

function replay(limit: RateLimit, gaps: readonly number[]) {
  let now = 1_000_000;
  let bucket: Bucket | undefined;
  return gaps.map((gap) => {
    now += gap;
    const passage = pass(limit, bucket, now);
    bucket = passage.bucket;
    return { now, ...passage };
  });
}

it("never lets more pass in any span of time than the burst and what flowed in meanwhile", () => {
  fc.assert(
    fc.property(limits, arrivals, (limit, gaps) => {
      const passed = replay(limit, gaps).filter((passage) => passage.passed);
      for (const [first, { now: start }] of passed.entries()) {
        for (const [last, { now: end }] of passed.entries()) {
          if (last < first) continue;
          const most = limit.burst + (limit.perSecond * (end - start)) / 1000;
          expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6);
        }
      }
    }),
    { numRuns: 40 },
  );
});

it("lets a caller pass that waits as long as it is told", () => {
  fc.assert(
    fc.property(limits, arrivals, (limit, gaps) => {
      for (const { now, passed, bucket, remaining, retryAfterSeconds } of replay(limit, gaps)) {
        expect(remaining).toBe(Math.floor(bucket.level));
        if (!passed) expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
        expect(pass(limit, bucket, now + retryAfterSeconds * 1000).passed).toBe(true);
      }
    }),
  );
});

it("lets a whole burst pass at once and then one for each interval", () => {
  const limit = { perSecond: 100, burst: 200 };
  const passages = replay(
    limit,
    Array.from({ length: 201 }, () => 0),
  );
  expect(passages.map((passage) => passage.passed)).toEqual([
    ...Array.from({ length: 200 }, () => true),
    false,
  ]);
  const last = passages.at(-1);
  expect(pass(limit, last?.bucket, (last?.now ?? 0) + 9).passed).toBe(false);
  expect(pass(limit, last?.bucket, (last?.now ?? 0) + 10).passed).toBe(true);
});

it("refills nothing when the clock goes back, nor twice when it comes again", () => {
  fc.assert(
    fc.property(limits, fc.nat({ max: 100_000 }), (limit, back) => {
      const emptied = { level: 0, at: 1_000_000 };
      const passage = pass(limit, emptied, 1_000_000 - back);
      expect(passage).toMatchObject({ passed: false, bucket: emptied });
      expect(pass(limit, passage.bucket, 1_000_000).passed).toBe(false);
    }),
  );
});
