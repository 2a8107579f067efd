/** Random rates and amounts, and rules with a plain program, for the tests of rules and of what sales earn. */
import fc from "fast-check";
import { inertRules, noLineRules, noMemberLimits, type Rules } from "../../src/domain/engine/rules.ts";
import type { EarningRate } from "../../src/domain/records.ts";

export const amounts = fc.oneof(fc.integer({ min: 0, max: 1e12 }), fc.integer({ min: 0, max: 20_000 }));
export const rates: fc.Arbitrary<EarningRate> = fc.record({
  earn_points: fc.integer({ min: 0, max: 1000 }),
  earn_amount: fc.oneof(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1000 })),
  earn_minimum_amount: fc.oneof(fc.constant(0), amounts),
  maximum_points_per_order: fc.oneof(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 100 })),
});
export const program = {
  program_id: 1,
  membership_name: "Club",
  ...noLineRules,
  ...noMemberLimits,
  earn_points: 1,
  earn_amount: 100,
  earn_minimum_amount: 0,
  maximum_points_per_order: 50,
};
export const rules: Rules = { ...inertRules, enable_rp: true, program, value_points: 10, value_amount: 50 };
