/**
 * The totals of each day, for reports: `day_total`. Entries are added when they are put into blocks (counts.ts), so recording them
 * costs nothing, and a report reads the few entries that are in no block by itself. Rows of entries and rows of other happenings
 * have different names, so that postings don't wait for the background job that counts. `active_day` has the days on which members
 * were active, because it took twice the time to look for their entries of the month. `first_active` counts each member on its first
 * active day: a member returns in a period if it was active in it and its first active day is earlier. An entry that is put into a block late,
 * such as that of an imported sale, can make the first day an earlier one.
 *
 * An entry is at its day in the time zone that the business has when the entry is put into a block. If the time zone changes, all
 * entries are put into blocks first: the days of the past stay as they were reported.
 */
import type { Happening } from "../../domain/engine/happenings.ts";
import type { Connection } from "../connection.ts";
import { type Fragment, fragment, raw, tableOf } from "../sql.ts";
import { lastEntryNo } from "./ledger.ts";
import { addToSums } from "./sums.ts";

/** The `location_id` of the totals of all locations together. Entries without a location count as at location 0. */
export const everywhere = -1;
/** The `day` of the totals of all days, which promotions with a budget need. */
export const ever = "infinity";
/** The `contact_id` of the counts of the whole ledger (counts.ts). */
export const allMembers = 0;

const zoneInSql = (businessId: number) =>
  fragment`(SELECT time_zone FROM business WHERE business_id = ${businessId})`;

/**
 * The condition that an entry makes its member active: it is one of a purchase, a top-up, or a payment with points or vouchers. The
 * sales that a merge moves to the other member are no purchase.
 */
export const isActivity = (entry: string) =>
  raw(`(${entry}.event_type IN ('sale', 'wallet_topup') AND ${entry}.amount > 0
      AND NOT (${entry}.event_type = 'sale' AND ${entry}.location_id IS NULL AND ${entry}.reference_id LIKE 'merge-%')
    OR ${entry}.event_type IN ('wallet_payment', 'reward_points_redeemed', 'voucher_redeemed') AND ${entry}.amount < 0)`);

/**
 * The tables of a statement that adds up entries. `total` has the sums by location, day and event type, and the members by location and
 * period. A member counts on a day if it was not active before in the period: neither on a day in `active_day`, nor on an earlier day of
 * these entries. For a period, the nearest active days before and after tell that. A day before which nothing near is known can be a new
 * first day: only then is the first one read.
 * @param are a condition on an entry `e`
 * @param withMembers whether members are counted
 */
function totalsOfEntries(businessId: number, are: Fragment, withMembers: boolean): Fragment {
  return fragment`entry AS MATERIALIZED (
      SELECT e.contact_id, coalesce(e.location_id, 0) AS location_id,
        (e.created_at AT TIME ZONE ${zoneInSql(businessId)})::date AS day, e.event_type, e.amount, ${isActivity("e")} AS is_activity
      FROM ledger_entry e WHERE e.business_id = ${businessId} AND ${are}
    ), active AS MATERIALIZED (
      SELECT DISTINCT contact_id, location_id, day FROM entry WHERE is_activity AND ${withMembers}
    ), known AS MATERIALIZED (
      SELECT a.*, period.*, near.*, first.day AS first, first_here.day AS first_here FROM active a CROSS JOIN LATERAL (
        SELECT week::date, (week + interval '1 week')::date AS week_end, month::date, (month + interval '1 month')::date AS month_end
        FROM (SELECT date_trunc('week', a.day::timestamp), date_trunc('month', a.day::timestamp)) AS begins (week, month)
      ) AS period CROSS JOIN LATERAL (
        SELECT max(d.day) FILTER (WHERE d.day <= a.day) AS before, min(d.day) FILTER (WHERE d.day > a.day) AS after,
          max(d.day) FILTER (WHERE d.day <= a.day AND d.location_id = a.location_id) AS before_here,
          min(d.day) FILTER (WHERE d.day > a.day AND d.location_id = a.location_id) AS after_here
        FROM active_day d WHERE d.business_id = ${businessId} AND d.contact_id = a.contact_id
          AND d.day >= least(week, month) AND d.day < greatest(week_end, month_end) OFFSET 0
      ) AS near LEFT JOIN LATERAL (
        SELECT day FROM active_day d WHERE near.before IS NULL AND d.business_id = ${businessId} AND d.contact_id = a.contact_id
        ORDER BY d.business_id, d.contact_id, d.day LIMIT 1
      ) AS first ON true LEFT JOIN LATERAL (
        SELECT day FROM active_day d WHERE near.before_here IS NULL AND coalesce(near.before, first.day) IS NOT NULL
          AND d.business_id = ${businessId} AND d.contact_id = a.contact_id AND d.location_id = a.location_id
        ORDER BY d.business_id, d.contact_id, d.day LIMIT 1
      ) AS first_here ON true
    ), present AS (
      SELECT ${everywhere}::bigint AS location_id, day, first, week, week_end, month, month_end, after,
        greatest(before, lag(day) OVER (PARTITION BY contact_id ORDER BY day)) AS before FROM known
      UNION ALL
      SELECT location_id, day, first_here, week, week_end, month, month_end, after_here,
        greatest(before_here, lag(day) OVER (PARTITION BY contact_id, location_id ORDER BY day)) FROM known
    ), total AS (
      SELECT coalesce(location_id, ${everywhere}) AS location_id, day, event_type::text AS what,
        sum(sign(amount))::bigint AS items, sum(amount)::bigint AS amount
      FROM entry GROUP BY GROUPING SETS ((location_id, day, event_type), (day, event_type))
      UNION ALL
      SELECT location_id, t.day, what, sum(members)::bigint, 0 FROM (
        SELECT location_id, day, week, month, count(*) FILTER (WHERE (before = day) IS NOT TRUE) AS of_day,
          count(*) FILTER (WHERE (before >= week OR after < week_end) IS NOT TRUE) AS of_week,
          count(*) FILTER (WHERE (before >= month OR after < month_end) IS NOT TRUE) AS of_month
        FROM present GROUP BY location_id, day, week, month
      ) AS new CROSS JOIN LATERAL (
        VALUES (day, 'active_day', of_day), (week, 'active_week', of_week), (month, 'active_month', of_month)
      ) AS t (day, what, members)
      WHERE members > 0 GROUP BY location_id, t.day, what
      UNION ALL
      SELECT location_id, t.day, 'first_active', sum(members), 0
      FROM present CROSS JOIN LATERAL (VALUES (day, 1), (first, -1)) AS t (day, members)
      WHERE before IS NULL AND (first < present.day) IS NOT TRUE AND t.day IS NOT NULL GROUP BY location_id, t.day
    )`;
}

const addToTotals = addToSums("day_total");

/** Adds entries to the totals of their days. The caller holds the lock of the counts. @param are a condition on an entry `e` */
export function addEntriesToDays(tx: Connection, businessId: number, are: Fragment) {
  return tx`
    WITH ${totalsOfEntries(businessId, are, true)}, kept AS (
      INSERT INTO active_day (business_id, contact_id, day, location_id)
      SELECT l.business_id, contact_id, day, location_id FROM ledger l, known
      WHERE l.business_id = ${businessId} AND before_here IS DISTINCT FROM day ORDER BY contact_id, day, location_id
    )
    INSERT INTO day_total (business_id, location_id, day, what, items, amount)
    SELECT l.business_id, total.* FROM ledger l, total WHERE l.business_id = ${businessId} ${addToTotals}`;
}

/**
 * A statement that adds up the entries that are in no block.
 * @param are a condition on their days, such as "= '2026-01-31'"
 */
export function totalsOfUncounted(businessId: number, are: Fragment, withMembers: boolean): Fragment {
  const uncounted = fragment`(e.created_at, e.entry_no) >= (
      SELECT blocks_end_at, blocks_end_no FROM ledger_count WHERE business_id = ${businessId} AND contact_id = ${allMembers}
    ) AND (e.created_at AT TIME ZONE ${zoneInSql(businessId)})::date ${are}`;
  return fragment`WITH ${totalsOfEntries(businessId, uncounted, withMembers)} TABLE total`;
}

/** Something that happened on a day at a location; null at none. */
export interface DayHappening extends Happening {
  readonly business_id: number;
  readonly location_id: number | null;
  readonly day: string;
}

/** Adds happenings to the totals of their days. The caller holds the ledger's lock. */
export function addHappenings(tx: Connection, happenings: readonly DayHappening[]) {
  const rows = new Map<string, { items: number; amount: number }>();
  const add = ({ business_id, what, items, amount }: DayHappening, location_id: number, day: string) => {
    const name = `${business_id} ${location_id} ${day} ${what}`;
    const known = rows.get(name);
    if (known === undefined) {
      const row = { business_id, location_id, day, what, items, amount };
      rows.set(name, row);
      return;
    }
    known.items += items;
    known.amount += amount;
  };
  for (const happening of happenings) {
    const { together, day, location_id } = happening;
    if (together === undefined) add(happening, location_id ?? 0, day);
    if (together === "in_all") add(happening, everywhere, ever);
    add(happening, everywhere, day);
  }
  const columns = "business_id bigint, location_id bigint, day date, what text, items bigint, amount bigint";
  return tx`
    INSERT INTO day_total (business_id, location_id, day, what, items, amount, part)
    SELECT business_id, location_id, day, what, items, amount, ${lastEntryNo(raw("added.business_id"))}
    FROM ${tableOf("added", [...rows.values()], columns)} ${addToTotals}`;
}

/**
 * Adds new members to the totals of the days on which they joined.
 * @param memberIds a statement that selects their member_ids
 */
export function addNewMembers(tx: Connection, businessId: number, memberIds: Fragment) {
  // The days are in ascending order, so that two transactions can't deadlock.
  return tx`
    INSERT INTO day_total (business_id, location_id, day, what, items, amount)
    SELECT l.business_id, ${everywhere}, joined.day, 'new_member', joined.members, 0
    FROM ledger l, (
      SELECT (m.joined_at AT TIME ZONE ${zoneInSql(businessId)})::date AS day, count(*) AS members
      FROM (${memberIds}) AS made (member_id) JOIN member m ON m.business_id = ${businessId} AND m.member_id = made.member_id
      GROUP BY 1 ORDER BY 1
    ) AS joined
    WHERE l.business_id = ${businessId} ${addToTotals}`;
}
