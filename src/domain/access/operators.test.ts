import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allRoles } from "./access.ts";
import { exceededLimit, type Grant, includesRole, limitsAbove, mayUseBusiness } from "./operators.ts";

const limit = fc.option(fc.integer({ min: 0, max: 100 }));
const limits = fc.record({ limit_amount: limit, limit_points: limit });
const correction = fc.record({ amount: fc.nat(60), points: fc.nat(60) });

const sumOf = (corrections: readonly { amount: number; points: number }[], unit: "amount" | "points") =>
  corrections.reduce((sum, one) => sum + one[unit], 0);

describe("limits", () => {
  it("hold for each correction and for all of a day, and reject nothing within them", () => {
    fc.assert(
      fc.property(limits, fc.array(correction), (grant, corrections) => {
        const used = { amount: 0, points: 0 };
        for (const one of corrections) {
          const exceeded = exceededLimit(grant, used, one);
          const isWithin = (["amount", "points"] as const).every((unit) => {
            const most = grant[`limit_${unit}`];
            return most === null || one[unit] === 0 || used[unit] + one[unit] <= most;
          });
          expect(exceeded === undefined).toBe(isWithin);
          if (exceeded !== undefined) {
            const most = grant[`limit_${exceeded.unit}`] as number;
            expect(exceeded).toMatchObject({ limit: most, left: most - used[exceeded.unit] });
            continue;
          }
          used.amount += one.amount;
          used.points += one.points;
        }
        for (const unit of ["amount", "points"] as const) {
          expect(used[unit]).toBeLessThanOrEqual(grant[`limit_${unit}`] ?? sumOf(corrections, unit));
        }
      }),
    );
  });

  it("left is 0 for an operator whose limit was lowered below what it has corrected", () => {
    const grant = { limit_amount: 10, limit_points: null };
    expect(exceededLimit(grant, { amount: 15, points: 0 }, { amount: 1, points: 0 })).toEqual({
      unit: "amount",
      limit: 10,
      left: 0,
    });
  });
});

it("nobody grants a higher limit than its own", () => {
  const grant = (more: object): Grant => ({
    role: "support",
    business_ids: null,
    limit_amount: null,
    limit_points: null,
    ...more,
  });
  fc.assert(
    fc.property(limits, limits, (own, given) => {
      const above = limitsAbove(grant(own), grant(given));
      for (const name of ["limit_amount", "limit_points"] as const) {
        const most = own[name] ?? Number.POSITIVE_INFINITY;
        expect(above.includes(name)).toBe((given[name] ?? Number.POSITIVE_INFINITY) > most);
      }
    }),
  );
});

it("roles include those before them", () => {
  for (const [index, role] of allRoles.entries())
    for (const [other, required] of allRoles.entries())
      expect(includesRole(role, required)).toBe(index >= other);
});

it("a grant without businesses is for all", () => {
  expect([mayUseBusiness({ business_ids: null }, 7), mayUseBusiness({ business_ids: [3] }, 7)]).toEqual([
    true,
    false,
  ]);
  expect(mayUseBusiness({ business_ids: [3, 7] }, 7)).toBe(true);
});
