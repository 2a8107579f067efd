/** What points are worth, and how many of them can pay a part of a sale. */
import { reject } from "../rejection.ts";
import type { Rules } from "./rules.ts";

/**
 * Calculates the amount that points pay.
 * @param points at least 1
 * @param open the amount that is still to be paid, in minor units
 */
export function payWithPoints(rules: Rules, points: number, open: number) {
  if (!rules.enable_rp) return reject("rewards_disabled");
  if (rules.value_amount === 0) return notAllowed({ reason: "points_cannot_pay" });
  if (points < rules.redeem_minimum_points) return belowMinimum(rules);
  if (points % rules.value_points !== 0) return notAllowed({ reason: "step", step: rules.value_points });
  const steps = points / rules.value_points;
  const most = Math.floor(open / rules.value_amount);
  if (steps > most)
    return notAllowed({ reason: "exceeds_amount", maximum_points: most * rules.value_points });
  return steps * rules.value_amount;
}

/** Why points or the wallet can't pay, with the number that decides. */
interface PaymentProblem {
  readonly reason: "points_cannot_pay" | "minimum" | "step" | "exceeds_amount";
  readonly minimum_points?: number;
  readonly step?: number;
  readonly maximum_points?: number;
  readonly maximum_amount?: number;
}

export const notAllowed = (problem: PaymentProblem) => reject("redemption_not_allowed", { ...problem });

export const belowMinimum = ({ redeem_minimum_points }: Pick<Rules, "redeem_minimum_points">) =>
  notAllowed({ reason: "minimum", minimum_points: redeem_minimum_points });

/** Why no points can pay, with the number that decides. `usable` in src/operations/partner/sales/quote.ts has the schema of each. */
type NoPoints =
  | { readonly code: "rewards_off" | "points_cannot_pay" }
  | { readonly code: "too_few_points"; readonly minimum_points: number }
  | { readonly code: "sale_too_small"; readonly fewest_points_amount: number };

/** The most points with which a member can pay a part of an amount; 0, and the reason, if none can. */
export function mostUsablePoints(
  rules: Rules,
  balance: number,
  open: number,
): { readonly points: number; readonly no_points: NoPoints | null } {
  const none = (no_points: NoPoints) => ({ points: 0, no_points });
  if (!rules.enable_rp) return none({ code: "rewards_off" });
  if (rules.value_amount === 0) return none({ code: "points_cannot_pay" });
  const { value_points, value_amount } = rules;
  const fewest = Math.max(1, Math.ceil(rules.redeem_minimum_points / value_points));
  const [held, needed] = [Math.floor(balance / value_points), Math.floor(open / value_amount)];
  if (held < fewest) return none({ code: "too_few_points", minimum_points: fewest * value_points });
  if (needed < fewest) return none({ code: "sale_too_small", fewest_points_amount: fewest * value_amount });
  return { points: Math.min(held, needed) * value_points, no_points: null };
}

/** The value of points in minor units. Only whole multiples of value_points have a value. */
export function worthOf(rules: Pick<Rules, "value_points" | "value_amount">, points: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(points / rules.value_points) * rules.value_amount);
}
