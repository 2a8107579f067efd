import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mostAttempts, probePause, readRetryAfter, retryPause } from "./schedule.ts";

const chance = fc.double({ min: 0, max: 1, noNaN: true });
const day = 24 * 3600;

describe("retries", () => {
  it("are ten attempts within 75 hours", () => {
    const pauses = Array.from({ length: mostAttempts - 1 }, (_, index) =>
      retryPause(index + 1, { chance: 0.5 }),
    );
    expect(pauses).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    const hours = pauses.reduce<number>((sum, pause) => sum + (pause as number), 0) / 3600;
    expect(Math.floor(hours)).toBe(75);
    for (const failed of [10, 11, 100]) expect(retryPause(failed, { chance: 0.5 })).toBeUndefined();
  });

  it("vary by a fifth, and wait as long as the receiver asks, up to a day", () => {
    const retryAfterSeconds = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), chance, retryAfterSeconds, (failed, at, asked) => {
        const usual = retryPause(failed, { chance: 0.5 }) as number;
        const pause = retryPause(failed, { chance: at, retryAfterSeconds: asked }) as number;
        const wanted = Math.min(asked ?? 0, day);
        expect(pause).toBeGreaterThanOrEqual(Math.max(0.8 * usual - 1e-6, wanted));
        expect(pause).toBeLessThanOrEqual(Math.max(1.2 * usual + 1e-6, wanted));
      }),
    );
  });
});

it("probes after 5 s, 30 s, 2 min, 5 min, and then every ten minutes", () => {
  const pauses = [0, 1, 2, 3, 4, 5, 1000].map((failed) => probePause(failed, { chance: 0.5 }));
  expect(pauses).toEqual([5, 30, 120, 300, 600, 600, 600]);
  expect(probePause(9, { chance: 0 })).toBeCloseTo(480);
  expect(probePause(9, { chance: 1 })).toBeCloseTo(720);
  expect(probePause(0, { chance: 0, retryAfterSeconds: 3600 })).toBe(3600);
});

it("reads Retry-After", () => {
  const now = Date.parse("2026-03-01T10:00:00Z");
  expect(readRetryAfter("120", now)).toBe(120);
  expect(readRetryAfter("Sun, 01 Mar 2026 10:01:00 GMT", now)).toBe(60);
  expect(readRetryAfter("Sun, 01 Mar 2026 09:00:00 GMT", now)).toBe(0);
  for (const wrong of [undefined, "", "soon", "99999999999999"])
    expect(readRetryAfter(wrong, now)).toBeUndefined();
});
