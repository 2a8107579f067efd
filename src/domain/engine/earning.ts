/** What a sale earns. */
import type { EarningProgram, EarningRate, Rules } from "./rules.ts";

/**
 * The points that an amount earns at a rate: whole points, rounded down, up to the most that one order earns.
 * @param base the amount that earns, in minor units
 */
export function pointsFor(base: number, rate: EarningRate): number {
  if (base < rate.earn_minimum_amount) return 0;
  // At most 10^12 times 1000: the product is exact.
  const points = Math.floor((base * rate.earn_points) / rate.earn_amount);
  return Math.min(rate.maximum_points_per_order, points);
}

/** Why a sale earns what it earns, for the till to show. */
export type EarningReason =
  | { readonly code: "earned"; readonly base: number; readonly points: number }
  | { readonly code: "capped"; readonly maximum: number }
  | { readonly code: "below_minimum"; readonly minimum: number }
  | { readonly code: "rewards_off" | "no_program" | "program_without_rate" };

export interface Earning {
  /** The amount that earns, in minor units. */
  readonly base: number;
  readonly points: number;
  /** The rate that a refund of the sale uses. */
  readonly rate: EarningRate;
  readonly why: readonly EarningReason[];
}

const nothing: EarningRate = {
  earn_points: 0,
  earn_amount: 1,
  earn_minimum_amount: 0,
  maximum_points_per_order: 0,
};

/**
 * What a sale earns.
 * @param eligible what of the amount earns at all, in minor units
 * @param paidByPoints the part of the amount that points paid for, in minor units
 */
export function earn(rules: Rules, eligible: number, paidByPoints: number): Earning {
  const base = rules.earn_on === "total" ? eligible : Math.max(0, eligible - paidByPoints);
  const none = (code: "rewards_off" | "no_program" | "program_without_rate"): Earning => ({
    base,
    points: 0,
    rate: nothing,
    why: [{ code }],
  });
  if (!rules.enable_rp) return none("rewards_off");
  if (rules.program === null) return none("no_program");
  if (rules.program.earn_points === 0) return none("program_without_rate");
  const rate = rateOf(rules.program);
  const points = pointsFor(base, rate);
  if (base < rate.earn_minimum_amount) {
    return { base, points, rate, why: [{ code: "below_minimum", minimum: rate.earn_minimum_amount }] };
  }
  const uncapped = pointsFor(base, { ...rate, maximum_points_per_order: Number.MAX_SAFE_INTEGER });
  const capped: EarningReason[] =
    uncapped > points ? [{ code: "capped", maximum: rate.maximum_points_per_order }] : [];
  return { base, points, rate, why: [{ code: "earned", base, points }, ...capped] };
}

function rateOf(program: EarningProgram): EarningRate {
  const { earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order } = program;
  return { earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order };
}
