import { expect, it } from "vitest";
import { faultOf } from "../database/faults.ts";
import { createRateLimiter, within } from "./limits.ts";

const limit = { perSecond: 100, burst: 200 };

it("gives every key a bucket of its own", () => {
  const limiter = createRateLimiter(limit, () => 0);
  for (let count = 1; count <= 200; count++) expect(limiter?.count(1).allowed).toBe(true);
  expect(limiter?.count(1)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
  expect(limiter?.count(2)).toMatchObject({ allowed: true, remaining: 199 });
  expect(limiter?.count("1")).toMatchObject({ allowed: true, remaining: 199 });
});

it("keeps the limit of a busy key however many others come and go", () => {
  let now = 0;
  const limiter = createRateLimiter({ perSecond: 1, burst: 2 }, () => now);
  let passed = 0;
  // Two hours in which ten thousands of callers come once, and one of them all the time.
  for (let count = 0; count < 72_000; count++) {
    now += 100;
    limiter?.count(count);
    if (limiter?.count("busy").allowed) passed += 1;
  }
  expect(passed).toBeLessThanOrEqual(7200 + 2);
  expect(passed).toBeGreaterThanOrEqual(7199);
});

it("is none when there is no limit", () => {
  expect(createRateLimiter(undefined, () => 0)).toBeUndefined();
});

it("gives what the work gives, or fails as it does", async () => {
  expect(await within(10_000, Promise.resolve("done"))).toBe("done");
  await expect(within(10_000, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("fails as something unavailable when the work takes longer", async () => {
  const endless = new Promise(() => undefined);
  await expect(within(5, endless)).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
});
