/** What is due of members, and when: points, vouchers and tiers. One table has their sums by member and day. */
import type { Connection } from "../connection.ts";
import { firstRow, requiredRow, wallClock } from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";

/** A day on which something of a member is due. */
export interface DueMember {
  readonly day: string;
  readonly contact_id: number;
}

/** The day on the business's clock. */
export const todayOf = (businessId: number) => fragment`(
  SELECT (coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone)::date
  FROM business b JOIN ledger l ON l.business_id = b.business_id WHERE b.business_id = ${businessId}
)`;

/**
 * What is due of members by day, and the gift cards that lapse, with money or without. A condition on the day leaves out what does not
 * lapse. A condition in a branch would hide the indexes.
 */
const dueOfMembers = raw(`(
    SELECT business_id, day, contact_id, amount FROM member_due
    UNION ALL SELECT business_id, lapses_on, contact_id, 1::bigint FROM account
  )`);

/** What the index by day needs: it is partial, so that no look-up of a member uses it. @param table member_due, or its alias */
export const isIndexed = (table: string) => raw(`${table}.day > '-infinity'`);

/**
 * Members with something due, in the order of the days.
 * @param options `after`: only those after this one. `only`: only some members. `day`: the last day on which they are due;
 *   today in the business's time zone when absent.
 */
export function findDueMembers(
  sql: Connection,
  businessId: number,
  options: {
    readonly limit: number;
    readonly after?: DueMember | undefined;
    readonly only?: readonly number[];
    readonly day?: string;
  },
) {
  const { limit, after, only, day } = options;
  return sql<DueMember[]>`
    SELECT d.day::text AS day, d.contact_id FROM ${dueOfMembers} AS d
    WHERE d.business_id = ${businessId} AND d.amount > 0 AND ${isIndexed("d")}
      AND d.day <= ${day === undefined ? todayOf(businessId) : fragment`${day}::date`}
      ${after === undefined ? fragment`` : fragment`AND (d.day, d.contact_id) > (${after.day}::date, ${after.contact_id})`}
      ${only === undefined ? fragment`` : fragment`AND d.contact_id = ANY (${only}::bigint[])`}
    ORDER BY d.business_id, d.day, d.contact_id LIMIT ${limit}`;
}

/**
 * The first day on which something is due.
 * @param after only days after this one
 * @returns undefined when nothing is due by the day given
 */
export async function findFirstDueDay(sql: Connection, businessId: number, by: string, after = "-infinity") {
  const row = await firstRow(sql<{ day: string }[]>`
    SELECT d.day::text FROM ${dueOfMembers} AS d WHERE business_id = ${businessId} AND amount > 0 AND ${isIndexed("d")}
      AND day <= ${by}::date AND day > ${after}::date
    ORDER BY d.business_id, d.day LIMIT 1`);
  return row?.day;
}

/**
 * Deletes up to `limit` days of a business that have passed and on which nothing is due any more. Otherwise a member that buys each
 * day would have more rows to read each year. A day to come keeps whether there was a notice.
 * @returns how many were deleted
 */
export async function sweepDueDays(sql: Connection, businessId: number, limit: number): Promise<number> {
  const isOver = fragment`amount = 0 AND ${isIndexed("member_due")} AND day < ${todayOf(businessId)}`;
  // By ctid, and with the condition repeated, like idempotency keys.
  const result = await sql`
    DELETE FROM member_due WHERE business_id = ${businessId} AND (${isOver}) IS TRUE AND ctid = ANY (ARRAY(
      SELECT ctid FROM member_due WHERE business_id = ${businessId} AND ${isOver}
      ORDER BY business_id, day, contact_id LIMIT ${limit}
    ))`;
  return result.count;
}

/** A business in real time, whose members the background job settles. */
interface RealTimeBusiness {
  readonly business_id: number;
  /** Today, if the events about what expires soon are due; otherwise null. */
  readonly notices_on: string | null;
  /** Whether an occasion may give something. */
  readonly occasions_due: boolean;
  /** Whether a referral is to be decided. */
  readonly referrals_due: boolean;
}

/** The hour of the business's day from which members get what occasions give on the day. */
export const firstHour = 6;

/** The last day that has reached the first hour. @param now a time without time zone */
export const lastDayAt = (now: Fragment) => fragment`(${now} - ${`${firstHour} hours`}::interval)::date`;

export function listRealTimeBusinesses(sql: Connection) {
  return sql<RealTimeBusiness[]>`
    SELECT l.business_id,
      CASE WHEN l.events_enabled AND clock.today IS DISTINCT FROM l.noticed_on THEN clock.today::text END AS notices_on,
      EXISTS (
        SELECT FROM occasion o WHERE o.business_id = b.business_id AND o.status = 'active'
          AND o.granted_through < ${lastDayAt(raw("(clock_timestamp() AT TIME ZONE b.time_zone)"))} + o.days_before
      ) AS occasions_due,
      EXISTS (
        SELECT FROM referral r WHERE r.business_id = b.business_id AND r.status = 'qualified' AND r.ends_on <= clock.today
      ) AS referrals_due
    FROM ledger l JOIN business b ON b.business_id = l.business_id
    CROSS JOIN LATERAL (SELECT (clock_timestamp() AT TIME ZONE b.time_zone)::date AS today) AS clock
    WHERE l.clock_at IS NULL ORDER BY l.business_id`;
}

/** Stores the result of the job for a business. */
export function recordRun(sql: Connection, businessId: number, settled: number, skipped: number) {
  return sql`
    INSERT INTO settling_run (business_id, finished_at, settled, skipped)
    VALUES (${businessId}, clock_timestamp(), ${settled}, ${skipped})
    ON CONFLICT (business_id) DO UPDATE
    SET finished_at = excluded.finished_at, settled = excluded.settled, skipped = excluded.skipped`;
}

export interface PointsSummary {
  readonly members_due: number;
  readonly oldest_due: string | null;
  /** Wall-clock time of the last run of the job that settled a member; null before the first. */
  readonly last_run_at: string | null;
  readonly members_settled: number;
  readonly members_skipped: number;
  readonly points: number;
  readonly points_pending: number;
  readonly points_owed: number;
  readonly expiring: { readonly month: string | null; readonly points: number }[];
}

/** Adds up the points of a business, from the sums of its members. */
export function summarizePoints(sql: Connection, businessId: number) {
  return requiredRow(sql<PointsSummary[]>`
    WITH due AS MATERIALIZED (
      SELECT contact_id, day, event, amount FROM member_due WHERE business_id = ${businessId} AND amount <> 0
    ), today AS MATERIALIZED (SELECT ${todayOf(businessId)} AS day),
    balance AS MATERIALIZED (
      SELECT coalesce(sum(balance), 0)::bigint AS points FROM account
      WHERE business_id = ${businessId} AND account = 'points'
    ), months AS (
      SELECT to_char(day - 1, 'YYYY-MM') AS month, sum(amount)::bigint AS points
      FROM due WHERE event = 'points_expire' AND day < 'infinity' GROUP BY 1
    )
    SELECT balance.points,
      (SELECT coalesce(sum(amount), 0)::bigint FROM due WHERE event = 'points_mature') AS points_pending,
      (SELECT coalesce(sum(owed), 0)::bigint FROM points_debt WHERE business_id = ${businessId}) AS points_owed,
      coalesce((SELECT json_agg(json_build_object('month', month, 'points', points) ORDER BY month) FROM (
        SELECT * FROM months
        UNION ALL
        SELECT NULL, balance.points - (SELECT coalesce(sum(points), 0) FROM months)::bigint
      ) AS each WHERE points > 0), '[]') AS expiring,
      (SELECT count(DISTINCT contact_id) FROM due, today WHERE due.day <= today.day) AS members_due,
      (SELECT min(due.day)::text FROM due, today WHERE due.day <= today.day) AS oldest_due,
      ${wallClock("run.finished_at", raw("b.time_zone"))} AS last_run_at, coalesce(run.settled, 0) AS members_settled,
      coalesce(run.skipped, 0) AS members_skipped
    FROM balance, business b LEFT JOIN settling_run run ON run.business_id = b.business_id
    WHERE b.business_id = ${businessId}`);
}
