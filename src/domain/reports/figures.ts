/** The figures of a range of days, from the reports of its periods. */

/** A sum divided by a number, rounded; null of nothing. */
export const average = (sum: number, number: number) => (number > 0 ? Math.round(sum / number) : null);

type Period = Readonly<Record<string, unknown>>;

/** Those that people read, in this order. What is counted for the business only is null for a location. */
const names = [
  ...(["sales_amount", "visits", "average_sale", "refunds_amount", "new_members", "active_members"] as const),
  ...(["returning_members", "points_given", "points_used", "points_expired", "redemption_percent"] as const),
  ...([
    "vouchers_issued",
    "vouchers_used",
    "stamp_cards_full",
    "topups_amount",
    "occasions_granted",
  ] as const),
  ...(["referrals_created", "referrals_granted", "referrals_lapsed"] as const),
];
type Figures = Readonly<Record<(typeof names)[number], number | null>>;

/**
 * @param rows periods that make up the range; none while they are not known
 * @param periods those whose active and returning members are averaged: they don't add up
 */
export function figuresOf(rows: readonly Period[], periods: readonly Period[]): Figures {
  const sum = (name: string, of = rows) => of.reduce((total, row) => total + Number(row[name]), 0);
  const isKnown = (name: string) => rows.length > 0 && rows.every((row) => row[name] !== null);
  const sums = names.map((name) => [name, isKnown(name) ? sum(name) : null]);
  return {
    ...(Object.fromEntries(sums) as Figures),
    visits: isKnown("sales") ? sum("sales") : null,
    average_sale: average(sum("sales_amount"), sum("sales")),
    active_members: average(sum("active_members", periods), periods.length),
    returning_members: average(sum("returning_members", periods), periods.length),
    redemption_percent: average(100 * sum("points_used"), sum("points_given")),
  };
}
