/** The report of what happened in a business, period by period, from the totals of days. */
import { offsetOf, type Page, type PageRequest, pageOf, readFor } from "../../domain/pagination.ts";
import {
  countPeriods,
  periodsFrom,
  type ReportPeriod,
  type ReportUnit,
  wholePeriods,
} from "../../domain/reports/periods.ts";
import type { Range } from "../../domain/reports/ranges.ts";
import type { Connection } from "../connection.ts";
import { fragment, tableOf } from "../sql.ts";
import { everywhere, totalsOfUncounted } from "./day-totals.ts";

export interface ActivityFilter {
  readonly from: string;
  readonly through: string;
  readonly by: ReportUnit;
  readonly location_id?: number | undefined;
}

export interface Total {
  readonly items: number;
  readonly amount: number;
}

export const noTotal: Total = { items: 0, amount: 0 };
type Totals = (what: string) => Total;

/** What happened at a location, or at all. Entries that take away have negative amounts. */
export function figuresOfPlace(total: Totals) {
  const [sale, refund, topup, bonus] = ["sale", "sale_refund", "wallet_topup", "bonus"].map(total) as [
    ...[Total, Total, Total, Total],
  ];
  return {
    sales: sale.items + total("sale_without_entry").items,
    sales_amount: sale.amount,
    refunds: total("refund_without_entry").items - refund.items,
    refunds_amount: -refund.amount,
    points_given: total("reward_points_earned").amount,
    points_used: -total("reward_points_redeemed").amount,
    points_expired: -total("reward_points_expired").amount,
    points_adjusted: total("reward_points_adjustment").amount,
    vouchers_issued: total("voucher_issue").items,
    vouchers_used: total("voucher_use").items,
    vouchers_lapsed: total("voucher_lapse").items,
    topups: topup.items - bonus.items,
    topups_amount: topup.amount - bonus.amount,
    topups_bonus: bonus.amount,
    wallet_paid: -total("wallet_payment").amount,
    wallet_adjusted: total("wallet_adjustment").amount,
  };
}

/** What happened in a period, or in a range of days. */
function sumsOf(total: Totals, { by, location_id }: ActivityFilter) {
  const isTotal = location_id === undefined;
  const active_members = total(`active_${by}`).items;
  return {
    ...figuresOfPlace(total),
    // They are counted for the business only.
    stamps_collected: isTotal ? total("stamps_given").amount : null,
    stamp_cards_full: isTotal ? total("stamps_full").items : null,
    // Members join a business, not a location.
    new_members: isTotal ? total("new_member").items : null,
    referrals_created: isTotal ? total("referral_open").items : null,
    referrals_granted: isTotal ? total("referral_granted").items : null,
    referrals_lapsed: isTotal ? total("referral_lapsed").items : null,
    occasions_granted: isTotal ? total("occasion").items : null,
    occasions_points: isTotal ? total("occasion").amount : null,
    active_members,
    returning_members: active_members - total("first_active").items,
  };
}

export interface ActivityRow extends ReportPeriod, Readonly<ReturnType<typeof sumsOf>> {}

/** A page of the periods between two days, the earliest first. A period in which nothing happened has zeros. */
export async function listActivity(
  sql: Connection,
  businessId: number,
  filter: ActivityFilter,
  page: PageRequest,
): Promise<Page<ActivityRow>> {
  const { from, through, by, location_id = everywhere } = filter;
  const total = countPeriods(from, through, by);
  const [after] = page.after ?? [];
  const skipped = after === undefined ? offsetOf(page) : Math.max(0, countPeriods(from, after, by));
  const read = periodsFrom(from, by, skipped, Math.max(0, Math.min(readFor(page), total - skipped)));
  const { rows: periods, ...listed } = pageOf(page, read, total, ({ starts_on }) => [starts_on]);
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined) return { ...listed, rows: [] };
  const wanted = fragment`day BETWEEN ${first.starts_on}::date AND ${last.ends_on}::date`;
  // Those before the first day tell who had been active.
  const uncounted = totalsOfUncounted(businessId, fragment`<= ${last.ends_on}::date`, true);
  // Stamps are counted by card, such as "stamps_given 7".
  const rows = await sql<(Total & { readonly starts_on: string; readonly what: string })[]>`
    SELECT date_trunc(${by}, t.day::timestamp)::date::text AS starts_on, split_part(t.what, ' ', 1) AS what,
      sum(t.items)::bigint AS items, sum(t.amount)::bigint AS amount
    FROM (
      SELECT day, what, items, amount FROM day_total
      WHERE business_id = ${businessId} AND location_id = ${location_id} AND ${wanted}
      UNION ALL
      SELECT day, what, items, amount FROM (${uncounted}) AS fresh WHERE location_id = ${location_id} AND ${wanted}
    ) AS t GROUP BY 1, 2`;
  const totals = new Map(rows.map(({ starts_on, what, ...sums }) => [`${starts_on} ${what}`, sums]));
  return {
    ...listed,
    rows: periods.map((period) => ({
      ...period,
      ...sumsOf((what) => totals.get(`${period.starts_on} ${what}`) ?? noTotal, filter),
    })),
  };
}

type Sums = ReturnType<typeof sumsOf>;

/**
 * The sums of what happened in the range of a filter, and in an earlier one. Their numbers of members are the sums of the periods that lie
 * wholly in the range.
 */
export async function sumActivity(
  sql: Connection,
  businessId: number,
  filter: ActivityFilter,
  earlier: Range,
): Promise<readonly [Sums, Sums]> {
  const { by, location_id = everywhere } = filter;
  const wanted = [filter, earlier].map(({ from, through }) => {
    const { starts_on, ends_on } = wholePeriods({ from, through }, by);
    return { first: from, last: through, starts_on, ends_on };
  });
  const uncounted = totalsOfUncounted(businessId, fragment`<= ${filter.through}::date`, true);
  const columns = "first date, last date, starts_on date, ends_on date";
  const rows = await sql<(Total & { readonly nth: number; readonly what: string })[]>`
    WITH fresh AS MATERIALIZED (
      SELECT day, what, items, amount FROM (${uncounted}) AS total WHERE location_id = ${location_id}
    )
    SELECT nth, split_part(what, ' ', 1) AS what, sum(items)::bigint AS items, sum(amount)::bigint AS amount
    FROM ${tableOf("wanted", wanted, columns)} CROSS JOIN LATERAL (
      SELECT day, what, items, amount FROM day_total
      WHERE business_id = ${businessId} AND location_id = ${location_id} AND day BETWEEN first AND last
      UNION ALL
      SELECT * FROM fresh WHERE day BETWEEN first AND last
    ) AS t
    WHERE what NOT LIKE '%active%' OR day BETWEEN starts_on AND ends_on GROUP BY nth, split_part(what, ' ', 1)`;
  const sums = (nth: number) =>
    sumsOf((what) => rows.find((row) => row.nth === nth && row.what === what) ?? noTotal, filter);
  return [sums(1), sums(2)];
}
