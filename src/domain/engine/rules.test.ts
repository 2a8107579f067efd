import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amounts, program, rates, rules } from "../../../test/support/rates.ts";
import { Rejection, reject } from "../rejection.ts";
import {
  mostUsablePoints,
  notAllowed,
  payWithPoints,
  pointsDates,
  pointsFor,
  type Rules,
  worthOf,
} from "./rules.ts";

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

describe("payWithPoints", () => {
  it("gives a whole value for a multiple of the step, and never more than is open", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), amounts, (points, open) => {
        const result = payWithPoints(rules, points, open);
        if (result instanceof Rejection) return;
        expect(points % rules.value_points).toBe(0);
        expect(result).toBe((points / rules.value_points) * rules.value_amount);
        expect(result).toBeLessThanOrEqual(open);
      }),
    );
  });

  it("names the first rule that forbids it", () => {
    const reason = (of: Partial<Rules>, points: number) => payWithPoints({ ...rules, ...of }, points, 1000);
    expect(reason({ enable_rp: false }, 10)).toEqual(reject("rewards_disabled"));
    expect(reason({ value_amount: 0 }, 10)).toEqual(notAllowed({ reason: "points_cannot_pay" }));
    expect(reason({ redeem_minimum_points: 20 }, 10)).toEqual(
      notAllowed({ reason: "minimum", minimum_points: 20 }),
    );
    expect(reason({}, 15)).toEqual(notAllowed({ reason: "step", step: 10 }));
    expect(reason({}, 210)).toEqual(notAllowed({ reason: "exceeds_amount", maximum_points: 200 }));
    expect(reason({}, 200)).toBe(1000);
  });

  it("is allowed from the minimum on", () => {
    const of = { ...rules, redeem_minimum_points: 20 };
    expect(payWithPoints(of, 10, 1000)).toMatchObject({ details: { reason: "minimum" } });
    expect(payWithPoints(of, 20, 1000)).toBe(100);
    expect([mostUsablePoints(of, 19, 1000).points, mostUsablePoints(of, 20, 1000).points]).toEqual([0, 20]);
  });

  it("is allowed for the most usable points, and for no step more", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (balance, open) => {
        const { points: most, no_points } = mostUsablePoints(rules, balance, open);
        expect(most === 0).toBe(no_points !== null);
        if (most > 0) expect(payWithPoints(rules, most, open)).toBeTypeOf("number");
        const next = most + rules.value_points;
        expect(next > balance || payWithPoints(rules, next, open) instanceof Rejection).toBe(true);
      }),
    );
  });

  it("values what fills a step", () => {
    expect(worthOf(rules, 199)).toBe(950);
    const of = { ...rules, redeem_minimum_points: 100 };
    const no_points = { code: "too_few_points", minimum_points: 100 };
    expect(mostUsablePoints(of, 90, 1000)).toEqual({ points: 0, no_points });
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
