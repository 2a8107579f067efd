/**
 * The most points that a member earns on a day and in a month. The points of all its sales count by whose programs there is such a
 * limit, by the day of the sale, as far as refunds leave them.
 */
import type { GrantCount, PointsLimit } from "../../records.ts";
import type { SaleMade } from "../promotions/acting.ts";
import type { EarningProgram } from "../rules.ts";

/** Stands for the points of sales among the counts of what promotions have given. No promotion has this number. */
export const pointsOfSales = 0;

/** A limit of a sale's points, and the points that it leaves. */
interface LeftByLimit {
  readonly limit: PointsLimit;
  readonly most: number;
}

/** The tightest limit of a sale's points; undefined if the program has none for a member. */
export function tightestLimit(
  program: EarningProgram,
  { day, buying }: Pick<SaleMade, "day" | "buying">,
): LeftByLimit | undefined {
  const { maximum_points_per_day: ofDay, maximum_points_per_month: ofMonth } = program;
  if (ofDay === null && ofMonth === null) return undefined;
  const counts = buying?.counts.filter(({ promotion_id }) => promotion_id === pointsOfSales) ?? [];
  const left = (period: PointsLimit["period"], maximum: number, isIn: (count: GrantCount) => boolean) => {
    const given = counts.reduce((sum, count) => (isIn(count) ? sum + count.given : sum), 0);
    return { limit: { period, maximum }, most: Math.max(0, maximum - given) };
  };
  const limits = [
    left("order", program.maximum_points_per_order, () => false),
    ...(ofDay === null ? [] : [left("day", ofDay, (count) => count.day === day)]),
    ...(ofMonth === null ? [] : [left("month", ofMonth, (count) => count.day.startsWith(day.slice(0, 7)))]),
  ];
  return limits.reduce((tightest, one) => (one.most < tightest.most ? one : tightest));
}
