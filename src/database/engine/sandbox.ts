/** The clock of a sandbox business, and the deletion of a business: a sandbox, or one that has moved to another cell. */
import { actingOccasions, hasDays } from "../../domain/engine/occasions.ts";
import type { Connection } from "../connection.ts";
import { keysOfOperators } from "../ledger/idempotency-keys.ts";
import { firstRow, requiredRow, wallClock } from "../rows.ts";
import { fragment, nameInSql, raw } from "../sql.ts";
import { deletedTables } from "../tables.ts";
import { todayOf } from "./due.ts";
import { noticesDue } from "./notices.ts";
import { occasionsDue } from "./rewards/occasions.ts";
import { findCurrentRules } from "./rules.ts";

/** @returns the clock in wall-clock time, YYYY-MM-DD HH:MM:SS; undefined for a business in real time */
export async function findClock(sql: Connection, businessId: number): Promise<string | undefined> {
  const row = await firstRow(sql<{ clock_at: string | null }[]>`
    SELECT ${wallClock("l.clock_at", raw("b.time_zone"))} AS clock_at
    FROM ledger l JOIN business b ON b.business_id = l.business_id WHERE l.business_id = ${businessId}`);
  return row?.clock_at ?? undefined;
}

/**
 * Sets the clock, in wall-clock time. The caller holds the ledger's lock.
 * @param time YYYY-MM-DD HH:MM:SS, or a day for its beginning; an earlier time than the clock's changes nothing
 */
export function advanceClock(tx: Connection, businessId: number, time: string) {
  return tx`
    UPDATE ledger SET clock_at = greatest(clock_at, ${time}::timestamp AT TIME ZONE business.time_zone)
    FROM business WHERE ledger.business_id = ${businessId} AND business.business_id = ${businessId}`;
}

/** Sets the clock of a business that is being made. @param time as PostgreSQL writes it; null: the business is in real time */
export function setClock(tx: Connection, businessId: number, time: string | null) {
  return tx`UPDATE ledger SET clock_at = ${time}::timestamptz WHERE business_id = ${businessId}`;
}

/** Whether a time is later than the clock, at most two years later, and within fifty years of now. */
export async function canAdvanceTo(tx: Connection, businessId: number, time: string): Promise<boolean> {
  const { possible } = await requiredRow(tx<{ possible: boolean }[]>`
    SELECT moment.at > l.clock_at AND moment.at <= l.clock_at + interval '2 years'
      AND moment.at <= now() + interval '50 years' AS possible
    FROM ledger l JOIN business b ON b.business_id = l.business_id
    CROSS JOIN LATERAL (SELECT ${time}::timestamp AT TIME ZONE b.time_zone AS at) AS moment
    WHERE l.business_id = ${businessId}`);
  return possible;
}

/**
 * Finds how far the clock of a sandbox can be advanced with a limited number of lots, vouchers, stamp cards and tiers to settle or to announce, and
 * of members who get something on occasions.
 * @returns the last day, up to the given one, by which at most so many of them are due. It is at least the first day on which
 *   one is, and later than the clock. A tier counts for each of its periods, because it may be renewed.
 */
export async function farthestDay(
  tx: Connection,
  businessId: number,
  to: string,
  mostLots: number,
): Promise<string> {
  const occasions = actingOccasions(await findCurrentRules(tx, businessId)).filter(hasDays);
  const { day } = await requiredRow(tx<{ day: string }[]>`
    WITH due AS (
      SELECT due.day FROM points_lot l
      CROSS JOIN LATERAL (VALUES (CASE WHEN NOT l.matured THEN l.matures_on END), (l.expires_on)) AS due (day)
      WHERE l.business_id = ${businessId} AND l.is_open
      UNION ALL
      SELECT lapses_on FROM held_voucher WHERE business_id = ${businessId} AND status = 'held'
      UNION ALL
      SELECT ends_on FROM referral WHERE business_id = ${businessId} AND status = 'qualified'
      UNION ALL
      SELECT lapses_on FROM member_stamp_card WHERE business_id = ${businessId} AND lapses_on IS NOT NULL
      UNION ALL
      SELECT ends.day::date FROM tier_standing s
      JOIN member_tier t ON t.business_id = s.business_id AND t.tier_id = s.tier_id
      CROSS JOIN LATERAL (
        SELECT day FROM generate_series(s.ends_on::timestamp, ${to}::timestamp, t.expiry * ('1 ' || t.expiry_period)::interval) AS day
      ) AS ends
      WHERE s.business_id = ${businessId} AND s.ends_on <= ${to}::date
      UNION ALL
      (${noticesDue(businessId, to)})
      ${occasions.length === 0 ? fragment`` : fragment`UNION ALL ${occasionsDue(businessId, occasions, fragment`${to}::date`)}`}
    ), days AS MATERIALIZED (
      SELECT day, count(*) AS lots FROM due WHERE day <= ${to}::date GROUP BY day
    ), running AS (SELECT day, sum(lots) OVER (ORDER BY day) AS lots FROM days)
    SELECT coalesce((
      SELECT greatest(${todayOf(businessId)} + 1, min(day), (min(day) FILTER (WHERE lots > ${mostLots})) - 1) FROM running
      HAVING bool_or(lots > ${mostLots})
    ), ${to}::date)::text AS day`);
  return day;
}

/** Whether the clock of a sandbox may begin at a time: it must be within fifty years of now. */
export async function canBeginAt(tx: Connection, time: string, timeZone: string): Promise<boolean> {
  const { possible } = await requiredRow(tx<{ possible: boolean }[]>`
    SELECT ${time}::timestamp AT TIME ZONE ${timeZone}
      BETWEEN now() - interval '50 years' AND now() + interval '50 years' AS possible`);
  return possible;
}

/** Disables the integrations of a sandbox, so that new requests are rejected while requests under way finish. */
export function closeSandbox(tx: Connection, businessId: number) {
  return tx`
    UPDATE integration SET enabled = false
    FROM ledger WHERE integration.business_id = ${businessId} AND ledger.business_id = ${businessId}
      AND ledger.clock_at IS NOT NULL AND ledger.move_state IS NULL`;
}

/**
 * Deletes a business with all its rows, except its audit log. The caller holds the ledger's lock. Transactions that insert rows
 * with a reference to the business lock its row. So the first statement waits for them, and makes new ones wait.
 *
 * The keys of operators whose writes name the business have responses about it, too. They are deleted last, when every change of a
 * member has ended. The key of the deletion itself names no business, so a retry gets its response.
 */
export async function deleteBusiness(tx: Connection, businessId: number): Promise<void> {
  await tx`SELECT FROM business WHERE business_id = ${businessId} FOR UPDATE`;
  for (const table of deletedTables) {
    await tx`DELETE FROM ${nameInSql(table)} WHERE business_id = ${businessId}`;
  }
  await tx`
    DELETE FROM idempotency_key
    WHERE business_id = ${keysOfOperators} AND named_business_id = ${businessId}`;
}

const deletedAtOnce = 50_000;

/**
 * Deletes rows of a business from a table, for a transaction of its own: one that goes on for long slows down the postings of others.
 * @returns whether there may be more
 */
export async function deleteSome(tx: Connection, businessId: number, table: string): Promise<boolean> {
  const { count } = await tx`
    DELETE FROM ${nameInSql(table)} WHERE business_id = ${businessId} AND ctid = ANY (ARRAY (
      SELECT ctid FROM ${nameInSql(table)} WHERE business_id = ${businessId} LIMIT ${deletedAtOnce}))`;
  // Rows of two partitions can have the same place.
  return count >= deletedAtOnce;
}
