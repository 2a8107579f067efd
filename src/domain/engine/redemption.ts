/** Paying with points. */
import type { Rules } from "./rules.ts";

export type Redemption =
  | { readonly status: "allowed"; readonly amount: number }
  | { readonly status: "rewards_disabled" }
  | {
      readonly status: "redemption_not_allowed";
      readonly reason: "minimum" | "step" | "exceeds_amount" | "points_cannot_pay";
    };

/**
 * Whether points may pay a part of an amount, and how much they are worth.
 * @param points whole points, at least 1
 * @param open what of the sale is still to be paid, in minor units
 */
export function payWithPoints(rules: Rules, points: number, open: number): Redemption {
  if (!rules.enable_rp) return { status: "rewards_disabled" };
  const rejected = (reason: "minimum" | "step" | "exceeds_amount" | "points_cannot_pay"): Redemption => ({
    status: "redemption_not_allowed",
    reason,
  });
  if (rules.value_amount === 0) return rejected("points_cannot_pay");
  if (points < rules.redeem_minimum_points) return rejected("minimum");
  if (points % rules.value_points !== 0) return rejected("step");
  const steps = points / rules.value_points;
  if (steps > Math.floor(open / rules.value_amount)) return rejected("exceeds_amount");
  return { status: "allowed", amount: steps * rules.value_amount };
}

/** The most points with which a member can pay a part of an amount; 0: none. */
export function mostUsablePoints(rules: Rules, balance: number, open: number): number {
  if (!rules.enable_rp || rules.value_amount === 0) return 0;
  const steps = Math.min(Math.floor(balance / rules.value_points), Math.floor(open / rules.value_amount));
  const points = steps * rules.value_points;
  return points < rules.redeem_minimum_points ? 0 : points;
}

/** What points are worth, in minor units; what doesn't fill a step is worth nothing. */
export function worthOf(rules: Rules, points: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(points / rules.value_points) * rules.value_amount);
}
