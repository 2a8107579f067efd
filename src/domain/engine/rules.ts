/** The settings of a business that decide what its members earn and what their points are worth. */
import { addDays, addPeriod, endOfMonth, type PeriodUnit } from "../dates.ts";

/** How a program turns an amount into points. A sale keeps the rate it was recorded with, for its refunds. */
export interface EarningRate {
  /** So many points … */
  readonly earn_points: number;
  /** … for each of these amounts, in minor units. */
  readonly earn_amount: number;
  /** Below this amount, in minor units, a sale earns nothing. */
  readonly earn_minimum_amount: number;
  readonly maximum_points_per_order: number;
}

export interface EarningProgram extends EarningRate {
  readonly program_id: number;
  readonly membership_name: string;
}

/** One version of a business's rules. A version never changes. */
export interface Rules {
  readonly version: number;
  readonly enable_rp: boolean;
  readonly rp_name: string;
  /** The program that members earn by; null: sales earn nothing. */
  readonly program: EarningProgram | null;
  /** Whether the part of a sale that points paid for earns, too. */
  readonly earn_on: "paid" | "total";
  /** So many points … */
  readonly value_points: number;
  /** … are worth so much, in minor units; 0: points can't pay. */
  readonly value_amount: number;
  readonly redeem_minimum_points: number;
  /** How long points are valid; null: they don't expire. */
  readonly points_validity: number | null;
  readonly points_validity_period: PeriodUnit | null;
  readonly points_expiry_rounding: "day" | "month_end";
  /** How many days after the sale points can be spent. */
  readonly pending_days: number;
  /** What happens when a refund takes back more points than the member has. */
  readonly clawback_shortfall: "owe" | "forgive";
  /** How long points are good that a refund puts back after their date has passed. */
  readonly restored_points_valid_days: number;
}

/** Rules by which nothing is earned or spent, for a business that has recorded none. */
export const inertRules: Rules = {
  version: 0,
  enable_rp: false,
  rp_name: "Points",
  program: null,
  earn_on: "paid",
  value_points: 1,
  value_amount: 0,
  redeem_minimum_points: 0,
  points_validity: null,
  points_validity_period: null,
  points_expiry_rounding: "month_end",
  pending_days: 0,
  clawback_shortfall: "owe",
  restored_points_valid_days: 30,
};

/** The days of the points that a sale on a day earns. */
export interface PointsDates {
  /** The first day on which they can be spent. */
  readonly matures_on: string;
  /** The first day on which they can no longer be spent; null: they don't expire. */
  readonly expires_on: string | null;
}

/** What is good for a period from a day is good through the day that is the period later. */
export function pointsDates(rules: Rules, soldOn: string): PointsDates {
  const matures_on = addDays(soldOn, rules.pending_days);
  if (rules.points_validity === null || rules.points_validity_period === null) {
    return { matures_on, expires_on: null };
  }
  const exact = addPeriod(matures_on, rules.points_validity, rules.points_validity_period);
  const validThrough = rules.points_expiry_rounding === "month_end" ? endOfMonth(exact) : exact;
  return { matures_on, expires_on: addDays(validThrough, 1) };
}
