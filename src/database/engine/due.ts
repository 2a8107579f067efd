/** Which members have points that mature or expire. */
import type { Connection } from "../connection.ts";

/**
 * Members with points that are due, in the order of their dates.
 * @param day up to which day; today in the business's time zone when absent
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
export async function findFirstDueDay(
  sql: Connection,
  businessId: number,
  by: string,
): Promise<string | undefined> {
  const [row] = await sql<{ due_on: string }[]>`
    SELECT due_on::text FROM points_lot WHERE business_id = ${businessId} AND due_on <= ${by}::date
    ORDER BY due_on LIMIT 1`;
  return row?.due_on;
}

/** Businesses in real time, whose points the background job settles. */
export async function listRealTimeBusinessIds(sql: Connection): Promise<number[]> {
  const rows = await sql<{ business_id: number }[]>`
    SELECT business_id FROM ledger WHERE clock_at IS NULL ORDER BY business_id`;
  return rows.map((row) => row.business_id);
}
