import fc from "fast-check";
import { expect, it } from "vitest";
import { type Bucket, countRequest, networkOf, type RateLimit } from "./rate-limit.ts";

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
    const result = countRequest(limit, bucket, now);
    bucket = result.bucket;
    return { now, ...result };
  });
}

it("never lets more pass in any span of time than the burst and what flowed in meanwhile", () => {
  fc.assert(
    fc.property(limits, arrivals, (limit, gaps) => {
      const passed = replay(limit, gaps).filter((result) => result.allowed);
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
      for (const { now, allowed, bucket, remaining, retryAfterSeconds } of replay(limit, gaps)) {
        expect(remaining).toBe(Math.floor(bucket.level));
        if (!allowed) expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
        expect(countRequest(limit, bucket, now + retryAfterSeconds * 1000).allowed).toBe(true);
      }
    }),
  );
});

it("lets a whole burst pass at once and then one for each interval", () => {
  const limit = { perSecond: 100, burst: 200 };
  const results = replay(
    limit,
    Array.from({ length: 201 }, () => 0),
  );
  expect(results.map((result) => result.allowed)).toEqual([
    ...Array.from({ length: 200 }, () => true),
    false,
  ]);
  const last = results.at(-1);
  expect(countRequest(limit, last?.bucket, (last?.now ?? 0) + 9).allowed).toBe(false);
  expect(countRequest(limit, last?.bucket, (last?.now ?? 0) + 10).allowed).toBe(true);
});

it("refills nothing when the clock goes back, nor twice when it comes again", () => {
  fc.assert(
    fc.property(limits, fc.nat({ max: 100_000 }), (limit, back) => {
      const emptied = { level: 0, at: 1_000_000 };
      const result = countRequest(limit, emptied, 1_000_000 - back);
      expect(result).toMatchObject({ allowed: false, bucket: emptied });
      expect(countRequest(limit, result.bucket, 1_000_000).allowed).toBe(false);
    }),
  );
});

it.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::ffff:10.1.2.3", "::ffff:10.1.2.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("counts %s under %s", (address, network) => expect(networkOf(address)).toBe(network));
