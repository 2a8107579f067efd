/**
 * The totals of each day, for reports: `day_total`. Entries are added when they are put into blocks (counts.ts), so recording them
 * costs nothing, and a report reads the few entries that are in no block by itself. Rows of entries and rows of other happenings
 * have different names, so that postings don't wait for the background job that counts.
 *
 * An entry is at its day in the time zone that the business has when the entry is put into a block. If the time zone changes, all
 * entries are put into blocks first: the days of the past stay as they were reported.
 */
import type { Happening } from "../../domain/engine/happenings.ts";
import { type ReportUnit, reportUnits } from "../../domain/report-periods.ts";
import type { Connection } from "../connection.ts";
import { type Fragment, fragment, insertOf, raw } from "../sql.ts";

/** The `location_id` of the totals of all locations together. Entries without a location count as at location 0. */
export const everywhere = -1;
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

interface EntriesToAdd {
  /** A condition on an entry `e`. */
  readonly are: Fragment;
  /** A condition on an entry `p`: it has been added up before. */
  readonly known: Fragment;
  /** The periods in which active members are counted. */
  readonly periods: readonly ReportUnit[];
}

/**
 * A statement that adds up entries by location, day and event type, and counts their members by location and period. A member
 * counts if it was not active before in the period. Mostly, its latest earlier entry in the same month tells that for all locations
 * and periods. If that entry is of another location, the latest one at the location is looked for.
 */
function totalsOfEntries(businessId: number, { are, known, periods }: EntriesToAdd): Fragment {
  const zone = zoneInSql(businessId);
  // Clocks are set back by at most two hours, so that an earlier entry can have a later local time.
  const margin = raw("interval '2 hours'");
  // The rows are compared and sorted as in the index that the statement must use, also when the table was just empty.
  const latest = (begins: Fragment, ends: Fragment, where: Fragment) => fragment`
      SELECT p.created_at AT TIME ZONE ${zone} AS at, coalesce(p.location_id, 0) AS location_id FROM ledger_entry p
      WHERE p.business_id = ${businessId}
        AND (p.contact_id, p.created_at) >= (m.contact_id, ${begins} AT TIME ZONE ${zone} - ${margin})
        AND (p.contact_id, p.created_at) < (m.contact_id, ${ends} AT TIME ZONE ${zone} + ${margin})
        AND ${isActivity("p")} AND ${known} AND ${where}
        AND p.created_at AT TIME ZONE ${zone} >= ${begins} AND p.created_at AT TIME ZONE ${zone} < ${ends}
      ORDER BY p.business_id DESC, p.contact_id DESC, p.created_at DESC, p.entry_no DESC LIMIT 1`;
  const ofMonth = (where: Fragment) => latest(raw("m.month"), raw("(m.month + interval '1 month')"), where);
  const isAt = (place: string) => fragment`${raw(place)} IN (${everywhere}, coalesce(p.location_id, 0))`;
  const isElsewhere = fragment`place.location_id NOT IN (${everywhere}, anywhere.location_id)`;
  return fragment`
    WITH entry AS MATERIALIZED (
      SELECT e.contact_id, coalesce(e.location_id, 0) AS location_id, (e.created_at AT TIME ZONE ${zone})::date AS day,
        e.event_type, e.amount, ${isActivity("e")} AS is_activity
      FROM ledger_entry e WHERE e.business_id = ${businessId} AND ${are}
    ), active AS MATERIALIZED (
      SELECT contact_id, date_trunc('month', day::timestamp) AS month, array_agg(location_id) AS locations, array_agg(day) AS days
      FROM (SELECT DISTINCT contact_id, location_id, day FROM entry WHERE is_activity AND ${periods.length > 0}) AS e
      GROUP BY 1, 2
    ), period AS MATERIALIZED (
      SELECT day, unit, begins, begins + length AS ends
      FROM (SELECT DISTINCT day FROM entry WHERE is_activity) AS d
      CROSS JOIN unnest(${periods}::text[], ${periods.map((unit) => `1 ${unit}`)}::interval[]) AS each (unit, length)
      CROSS JOIN LATERAL date_trunc(unit, day::timestamp) AS begins
    ), present AS MATERIALIZED (
      SELECT m.contact_id, m.month, place.location_id, at.day,
        CASE WHEN ${isElsewhere} THEN here.at ELSE anywhere.at END AS latest
      FROM active m LEFT JOIN LATERAL (${ofMonth(raw("true"))}) AS anywhere ON true
      CROSS JOIN LATERAL unnest(m.locations, m.days) AS at (location_id, day)
      CROSS JOIN LATERAL (VALUES (${everywhere}::bigint), (at.location_id)) AS place (location_id)
      LEFT JOIN LATERAL (${ofMonth(fragment`${isElsewhere} AND ${isAt("place.location_id")}`)}) AS here ON true
    )
    SELECT coalesce(location_id, ${everywhere}) AS location_id, day, event_type::text AS what,
      sum(sign(amount))::bigint AS items, sum(amount)::bigint AS amount
    FROM entry GROUP BY GROUPING SETS ((location_id, day, event_type), (day, event_type))
    UNION ALL
    SELECT location_id, begins::date, 'active_' || unit, count(*), 0 FROM (
      SELECT DISTINCT m.contact_id, m.location_id, unit, begins
      FROM present m JOIN period USING (day)
      WHERE (m.latest >= begins AND m.latest < ends) IS NOT TRUE
        AND (begins >= m.month AND ends <= m.month + interval '1 month' AND coalesce(m.latest < begins - ${margin}, true)
          OR (SELECT at FROM (${latest(raw("begins"), raw("ends"), isAt("m.location_id"))}) AS found) IS NULL)
    ) AS new GROUP BY location_id, begins, unit`;
}

const addToTotals = raw(`ON CONFLICT (business_id, location_id, day, what)
  DO UPDATE SET items = known.items + excluded.items, amount = known.amount + excluded.amount`);

/** Adds entries to the totals of their days. The caller holds the lock of the counts. */
export function addEntriesToDays(
  tx: Connection,
  businessId: number,
  entries: Pick<EntriesToAdd, "are" | "known">,
) {
  return tx`
    INSERT INTO day_total AS known (business_id, location_id, day, what, items, amount)
    SELECT l.business_id, t.* FROM ledger l, (${totalsOfEntries(businessId, { ...entries, periods: reportUnits })}) AS t
    WHERE l.business_id = ${businessId} ${addToTotals}`;
}

/** A statement that adds up the entries that are in no block. @param are a condition on their days, such as "= '2026-01-31'" */
export function totalsOfUncounted(
  businessId: number,
  are: Fragment,
  periods: readonly ReportUnit[],
): Fragment {
  const end = (column: string) =>
    fragment`(SELECT ${raw(column)} FROM ledger_count WHERE business_id = ${businessId} AND contact_id = ${allMembers})`;
  const ends = fragment`(${end("blocks_end_at")}, ${end("blocks_end_no")})`;
  return totalsOfEntries(businessId, {
    are: fragment`(e.created_at, e.entry_no) >= ${ends}
      AND (e.created_at AT TIME ZONE ${zoneInSql(businessId)})::date ${are}`,
    known: fragment`(p.created_at, p.entry_no) < ${ends}`,
    periods,
  });
}

/** Something that happened on a day at a location; null at none. */
export interface DayHappening extends Happening {
  readonly business_id: number;
  readonly location_id: number | null;
  readonly day: string;
}

/** Adds happenings to the totals of their days. The caller holds the ledger's lock. */
export function addHappenings(tx: Connection, happenings: readonly DayHappening[]) {
  const rows = new Map<string, DayHappening>();
  const add = (row: DayHappening) => {
    const name = `${row.business_id} ${row.location_id} ${row.day} ${row.what}`;
    const known = rows.get(name);
    const { items, amount } = row;
    rows.set(name, { ...row, items: items + (known?.items ?? 0), amount: amount + (known?.amount ?? 0) });
  };
  for (const happening of happenings) {
    add({ ...happening, location_id: happening.location_id ?? 0 });
    add({ ...happening, location_id: everywhere });
  }
  const columns = "business_id bigint, location_id bigint, day date, what text, items bigint, amount bigint";
  return tx`${insertOf("day_total AS known", [...rows.values()], columns)} ${addToTotals}`;
}

/**
 * Adds new members to the totals of the days on which they joined.
 * @param memberIds a statement that selects their member_ids
 */
export function addNewMembers(tx: Connection, businessId: number, memberIds: Fragment) {
  // The days are in ascending order, so that two transactions can't deadlock.
  return tx`
    INSERT INTO day_total AS known (business_id, location_id, day, what, items, amount)
    SELECT l.business_id, ${everywhere}, joined.day, 'new_member', joined.members, 0
    FROM ledger l, (
      SELECT (m.joined_at AT TIME ZONE ${zoneInSql(businessId)})::date AS day, count(*) AS members
      FROM (${memberIds}) AS made (member_id) JOIN member m ON m.business_id = ${businessId} AND m.member_id = made.member_id
      GROUP BY 1 ORDER BY 1
    ) AS joined
    WHERE l.business_id = ${businessId} ${addToTotals}`;
}
