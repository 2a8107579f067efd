import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../test/support/random-cases.ts";
import { faultOf } from "../database/faults.ts";
import { networkOf, type RateLimit, RateLimiter, withTimeout } from "./limits.ts";

const limits = fc.record({
  perSecond: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constant(10 / 60)),
  burst: fc.integer({ min: 1, max: 400 }),
});
/** Milliseconds between one request and the next. */
const arrivals = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 5000 })), { maxLength: 300 });

/** A limiter of one key, and its clock. */
function limiterOf(limit: RateLimit) {
  const clock = { now: 1_000_000 };
  const limiter = new RateLimiter(limit, 1, () => clock.now);
  /** Counts a request some time after the last. */
  const countAfter = (milliseconds: number) => {
    clock.now += milliseconds;
    const counted = limiter.count("key");
    return { now: clock.now, ...counted, allowed: counted.rejection === undefined };
  };
  return { countAfter };
}

it("never lets more pass in any span of time than the burst and what flowed in meanwhile", () => {
  fc.assert(
    fc.property(limits, arrivals, (limit, gaps) => {
      const passed = gaps.map(limiterOf(limit).countAfter).filter((result) => result.allowed);
      for (const [first, { now: start }] of passed.entries()) {
        for (const [last, { now: end }] of passed.entries()) {
          if (last < first) continue;
          const most = limit.burst + (limit.perSecond * (end - start)) / 1000;
          expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6);
        }
      }
    }),
    { numRuns: runs(40) },
  );
});

it("has failures waited for that were allowed at the same time", () => {
  const clock = { now: 0 };
  const limiter = new RateLimiter({ perSecond: 1, burst: 2 }, 1, () => clock.now);
  for (let failure = 0; failure < 5; failure += 1) limiter.owe("key");
  clock.now = 3900;
  expect(limiter.rejection("key")).toMatchObject({ code: "rate_limited", retryAfterSeconds: 1 });
  clock.now = 4000;
  expect(limiter.rejection("key")).toBeUndefined();
});

it("lets a caller pass that waits as long as it is told", () => {
  fc.assert(
    fc.property(limits, arrivals, (limit, gaps) => {
      const { countAfter } = limiterOf(limit);
      for (const gap of gaps) {
        const { allowed, rejection, remaining, retryAfterSeconds } = countAfter(gap);
        expect(remaining === 0).toBe(retryAfterSeconds > 0);
        if (!allowed) expect(rejection).toMatchObject({ code: "rate_limited", retryAfterSeconds });
        if (remaining === 0) expect(countAfter(retryAfterSeconds * 1000).allowed).toBe(true);
      }
    }),
  );
});

it("lets as many more pass at once as it says remain", () => {
  fc.assert(
    fc.property(limits, arrivals, (limit, gaps) => {
      const { countAfter } = limiterOf(limit);
      for (const gap of gaps) countAfter(gap);
      for (let { remaining } = countAfter(0); remaining > 0; remaining--) {
        expect(countAfter(0)).toMatchObject({ allowed: true, remaining: remaining - 1 });
      }
      expect(countAfter(0).allowed).toBe(false);
    }),
  );
});

it("lets a whole burst pass at once and then one for each interval", () => {
  for (const [milliseconds, allowed] of [
    [9, false],
    [10, true],
  ] as const) {
    const { countAfter } = limiterOf({ perSecond: 100, burst: 200 });
    for (let count = 1; count <= 200; count++) expect(countAfter(0).allowed).toBe(true);
    expect(countAfter(0)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    expect(countAfter(milliseconds).allowed).toBe(allowed);
  }
});

it("gives every key a bucket of its own", () => {
  const limiter = new RateLimiter({ perSecond: 100, burst: 200 }, 1, () => 0);
  for (let count = 1; count <= 200; count++) expect(limiter.count(1).rejection).toBeUndefined();
  expect(limiter.count(1)).toMatchObject({ rejection: { code: "rate_limited" }, retryAfterSeconds: 1 });
  expect(limiter.count(2)).toMatchObject({ rejection: undefined, remaining: 199 });
  expect(limiter.count("1")).toMatchObject({ rejection: undefined, remaining: 199 });
});

it("keeps the limit of a busy key however many others come and go", () => {
  let now = 0;
  const limiter = new RateLimiter({ perSecond: 1, burst: 2 }, 1, () => now);
  let passed = 0;
  // Two hours in which ten thousands of callers come once, and one of them all the time.
  for (let count = 0; count < 72_000; count++) {
    now += 100;
    limiter.count(count);
    if (limiter.count("busy").rejection === undefined) passed += 1;
  }
  expect(passed).toBeLessThanOrEqual(7200 + 2);
  expect(passed).toBeGreaterThanOrEqual(7199);
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

it("gives what the work gives, or fails as it does", async () => {
  expect(await withTimeout(10_000, Promise.resolve("done"))).toBe("done");
  await expect(withTimeout(10_000, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("fails as something unavailable when the work takes longer", async () => {
  const endless = new Promise(() => undefined);
  await expect(withTimeout(5, endless)).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
});
