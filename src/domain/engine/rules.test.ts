import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amounts, program, rates, rules } from "../../../test/support/rates.ts";
import { pointsDates, pointsFor, type Rules } from "./rules.ts";

describe("pointsFor", () => {
  it("is the exact number of whole points, up to the cap", () => {
    fc.assert(
      fc.property(amounts, rates, (base, rate) => {
        const exact = (BigInt(base) * BigInt(rate.earn_points)) / BigInt(rate.earn_amount);
        const cap = BigInt(rate.maximum_points_per_order);
        const expected = base < rate.earn_minimum_amount ? 0n : exact < cap ? exact : cap;
        expect(BigInt(pointsFor(base, rate))).toBe(expected);
      }),
    );
  });

  it("begins at the minimum", () => {
    const rate = { ...program, earn_minimum_amount: 1000 };
    expect([pointsFor(999, rate), pointsFor(1000, rate)]).toEqual([0, 10]);
  });

  it("never falls when the amount grows", () => {
    fc.assert(
      fc.property(amounts, amounts, rates, (one, other, rate) => {
        expect(pointsFor(Math.max(one, other), rate)).toBeGreaterThanOrEqual(
          pointsFor(Math.min(one, other), rate),
        );
      }),
    );
  });

  it("gains nothing by splitting an order, unless a cap is reached", () => {
    fc.assert(
      fc.property(amounts, amounts, rates, (one, other, rate) => {
        const uncapped = {
          ...rate,
          earn_minimum_amount: 0,
          maximum_points_per_order: Number.MAX_SAFE_INTEGER,
        };
        const split = pointsFor(one, uncapped) + pointsFor(other, uncapped);
        expect(pointsFor(one + other, uncapped)).toBeGreaterThanOrEqual(split);
      }),
    );
  });
});

describe("pointsDates", () => {
  const valid = { ...rules, points_validity: 6, points_validity_period: "month" as const };

  it("is good through the day a period later, or to the end of that month", () => {
    expect(pointsDates({ ...valid, points_expiry_rounding: "day" }, "2026-08-31")).toEqual({
      matures_on: "2026-08-31",
      expires_on: "2027-03-01",
    });
    expect(pointsDates(valid, "2026-08-14")).toEqual({ matures_on: "2026-08-14", expires_on: "2027-03-01" });
    expect(pointsDates({ ...valid, pending_days: 14 }, "2026-08-20")).toEqual({
      matures_on: "2026-09-03",
      expires_on: "2027-04-01",
    });
    expect(pointsDates(rules, "2026-08-14").expires_on).toBeNull();
  });

  it("always expires later than it matures, and never before the exact day", () => {
    const days = fc.date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
    const units = fc.constantFrom("day", "week", "month", "year");
    fc.assert(
      fc.property(days, fc.integer({ min: 1, max: 1200 }), units, (date, length, unit) => {
        const day = date.toISOString().slice(0, 10);
        const of = { ...rules, points_validity: length, points_validity_period: unit } as Rules;
        const exact = pointsDates({ ...of, points_expiry_rounding: "day" }, day);
        const rounded = pointsDates(of, day);
        expect((exact.expires_on as string) > exact.matures_on).toBe(true);
        expect((rounded.expires_on as string) >= (exact.expires_on as string)).toBe(true);
      }),
    );
  });
});
