/** What points are worth when they pay. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amounts, rules } from "../../../test/support/rates.ts";
import { Rejection, reject } from "../rejection.ts";
import type { Rules } from "./rules.ts";
import { mostUsablePoints, notAllowed, payWithPoints, worthOf } from "./worth.ts";

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
