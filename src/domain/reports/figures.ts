/** The figures of a range of days, from the sums of what happened on them. */

/** A sum divided by a number, rounded; null of nothing. */
export const average = (sum: number, number: number) => (number > 0 ? Math.round(sum / number) : null);

/** Those that people compare, in this order. */
export const comparedFigures = [
  ...(["sales_amount", "sales", "average_sale", "refunds_amount", "new_members", "active_members"] as const),
  ...(["returning_members", "points_given", "points_used", "points_expired", "redemption_percent"] as const),
  ...(["vouchers_issued", "vouchers_used", "stamp_cards_full", "topups_amount"] as const),
  ...(["occasions_granted", "referrals_created", "referrals_granted", "referrals_lapsed"] as const),
];

/** `active_members`, `returning_members`: the sums of whole periods. */
interface Sums
  extends Readonly<Record<"sales" | "sales_amount" | "points_given" | "points_used", number>>,
    Readonly<Record<"active_members" | "returning_members", number>> {}

/**
 * Adds averages to sums. They replace the numbers of members, which don't add up; without a period they are null.
 * @param periods how many whole periods there are
 */
export function figuresOf<Given extends Sums>(sums: Given, periods: number) {
  return {
    ...sums,
    average_sale: average(sums.sales_amount, sums.sales),
    redemption_percent: average(100 * sums.points_used, sums.points_given),
    active_members: average(sums.active_members, periods),
    returning_members: average(sums.returning_members, periods),
  };
}
