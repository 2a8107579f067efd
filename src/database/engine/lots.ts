/** Statements about many lots of a business: those that are due, and all of them. */
import type { Connection } from "../connection.ts";
import { firstRow, requiredRow } from "../rows.ts";

export interface Extended {
  readonly lots: number;
  readonly points: number;
  /** How many lots another call would extend. */
  readonly remaining: number;
}

const lotsAtOnce = 10_000;

/**
 * Moves the date of lots that would expire in a range of days. The caller holds the ledger's lock.
 * @param onlyCount whether to count them without a change
 */
export function extendLots(
  tx: Connection,
  businessId: number,
  range: { readonly today: string; readonly dueBefore: string; readonly validThrough: string },
  onlyCount: boolean,
) {
  const { today, dueBefore, validThrough } = range;
  return requiredRow(tx<Extended[]>`
    WITH found AS MATERIALIZED (
      SELECT contact_id, lot_id, points - clawed - used - expired AS left_over FROM points_lot
      WHERE business_id = ${businessId} AND points > clawed + used + expired AND expires_on > ${today}::date
        AND expires_on <= ${dueBefore}::date AND expires_on <= ${validThrough}::date
    ), chosen AS MATERIALIZED (
      SELECT * FROM found ORDER BY contact_id, lot_id LIMIT ${lotsAtOnce}
    ), extended AS (
      UPDATE points_lot l SET expires_on = ${validThrough}::date + 1,
        due_on = CASE WHEN matured THEN ${validThrough}::date + 1 ELSE due_on END
      FROM chosen
      WHERE NOT ${onlyCount}::boolean AND l.business_id = ${businessId} AND l.contact_id = chosen.contact_id
        AND l.lot_id = chosen.lot_id
    )
    SELECT (SELECT count(*) FROM chosen) AS lots,
      (SELECT coalesce(sum(left_over), 0)::bigint FROM chosen) AS points,
      (SELECT count(*) FROM found) - (SELECT count(*) FROM chosen) AS remaining`);
}

export interface PointsSummary {
  readonly members_due: number;
  readonly oldest_due: string | null;
  readonly points: number;
  readonly points_pending: number;
  readonly points_owed: number;
  readonly expiring: { readonly month: string | null; readonly points: number }[];
}

/** Adds up the points of a business. Reads every open lot. */
export function summarizePoints(sql: Connection, businessId: number) {
  return requiredRow(sql<PointsSummary[]>`
    WITH open AS MATERIALIZED (
      SELECT contact_id, matured, due_on, expires_on, points - clawed - used - expired AS left_over
      FROM points_lot WHERE business_id = ${businessId} AND points > clawed + used + expired
    ), today AS MATERIALIZED (
      SELECT (coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone)::date AS day
      FROM business b JOIN ledger l ON l.business_id = b.business_id WHERE b.business_id = ${businessId}
    ), balance AS MATERIALIZED (
      SELECT coalesce(sum(balance), 0)::bigint AS points FROM account
      WHERE business_id = ${businessId} AND account = 'points'
    ), months AS (
      SELECT to_char(expires_on - 1, 'YYYY-MM') AS month, sum(left_over)::bigint AS points
      FROM open WHERE matured AND expires_on IS NOT NULL GROUP BY 1
    )
    SELECT (SELECT count(DISTINCT contact_id) FROM open, today WHERE due_on <= day) AS members_due,
      (SELECT min(due_on)::text FROM open, today WHERE due_on <= day) AS oldest_due,
      balance.points,
      (SELECT coalesce(sum(left_over), 0)::bigint FROM open WHERE NOT matured) AS points_pending,
      (SELECT coalesce(sum(owed), 0)::bigint FROM points_debt WHERE business_id = ${businessId}) AS points_owed,
      coalesce((SELECT json_agg(json_build_object('month', month, 'points', points) ORDER BY month) FROM (
        SELECT * FROM months
        UNION ALL
        SELECT NULL, balance.points - (SELECT coalesce(sum(points), 0) FROM months)::bigint
      ) AS each WHERE points > 0), '[]') AS expiring
    FROM balance`);
}

/**
 * Members with points that are due, in the order of their dates.
 * @param day the last day on which they are due; today in the business's time zone when absent
 */
export async function findDueMembers(
  sql: Connection,
  businessId: number,
  limit: number,
  day?: string | undefined,
): Promise<number[]> {
  const rows = await sql<{ contact_id: number }[]>`
    SELECT DISTINCT contact_id FROM (
      SELECT contact_id FROM points_lot
      WHERE business_id = ${businessId} AND due_on <= coalesce(${day ?? null}::date, (
        SELECT (coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone)::date
        FROM business b JOIN ledger l ON l.business_id = b.business_id WHERE b.business_id = ${businessId}
      ))
      ORDER BY due_on, contact_id LIMIT ${limit}
    ) AS due ORDER BY contact_id`;
  return rows.map(({ contact_id }) => contact_id);
}

/** The first day on which something is due. @returns undefined when nothing is due by the day given */
export async function findFirstDueDay(sql: Connection, businessId: number, by: string) {
  const row = await firstRow(sql<{ due_on: string }[]>`
    SELECT due_on::text FROM points_lot WHERE business_id = ${businessId} AND due_on <= ${by}::date
    ORDER BY due_on LIMIT 1`);
  return row?.due_on;
}

/** Businesses in real time, whose points the background job settles. */
export async function listRealTimeBusinessIds(sql: Connection): Promise<number[]> {
  const rows = await sql<{ business_id: number }[]>`
    SELECT business_id FROM ledger WHERE clock_at IS NULL ORDER BY business_id`;
  return rows.map((row) => row.business_id);
}
