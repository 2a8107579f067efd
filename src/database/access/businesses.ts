import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { insertRules } from "../engine/rules.ts";
import { pageOf } from "../page.ts";
import { fragment } from "../sql.ts";

/** The ids of all businesses, for background work. 0 comes first: the keys of operators are kept under it. */
export async function listBusinessIds(sql: Connection): Promise<number[]> {
  const rows = await sql<{ business_id: number }[]>`SELECT business_id FROM business ORDER BY business_id`;
  return [0, ...rows.map((row) => row.business_id)];
}

export interface NewBusiness {
  readonly name: string;
  /** IANA name. */
  readonly time_zone: string;
  /** ISO 4217 code. */
  readonly currency: string;
}

export interface BusinessRow extends NewBusiness {
  readonly business_id: number;
  /** Whether it has a clock of its own, for tests. */
  readonly sandbox: boolean;
}

/** Whether a row of `business` is a sandbox. */
const sandbox = fragment`(
  SELECT clock_at IS NOT NULL FROM ledger WHERE ledger.business_id = business.business_id
) AS sandbox`;

/** Whether the database knows a time zone by this name: it has tables of its own. */
export async function knowsTimeZone(sql: Connection, name: string): Promise<boolean> {
  const rows = await sql`SELECT FROM pg_timezone_names WHERE lower(name) = lower(${name}) LIMIT 1`;
  return rows.length > 0;
}

/**
 * Makes a business with its empty ledger and default reward settings.
 * @param clock of a sandbox: when it begins, in wall-clock time, null for now; undefined for a business in real time
 * @returns its business_id
 */
export async function insertBusiness(
  tx: Connection,
  business: NewBusiness,
  clock?: { readonly clock_at: string | null } | undefined,
): Promise<number> {
  const [row] = await tx<{ business_id: number }[]>`
    INSERT INTO business (name, time_zone, currency)
    VALUES (${business.name}, ${business.time_zone}, ${business.currency})
    RETURNING business_id`;
  const businessId = (row as { business_id: number }).business_id;
  await tx`
    INSERT INTO ledger (business_id, clock_at)
    VALUES (${businessId}, CASE WHEN ${clock !== undefined}::boolean
      THEN coalesce(${clock?.clock_at ?? null}::timestamp AT TIME ZONE ${business.time_zone}, now()) END)`;
  await tx`INSERT INTO ledger_count (business_id) VALUES (${businessId})`;
  await tx`INSERT INTO reward_settings (business_id) VALUES (${businessId})`;
  await insertRules(tx, businessId, "ever");
  return businessId;
}

/** @returns undefined when there is no such business */
export async function findBusiness(sql: Connection, businessId: number): Promise<BusinessRow | undefined> {
  const [row] = await sql<BusinessRow[]>`
    SELECT business_id, name, time_zone, currency, ${sandbox} FROM business WHERE business_id = ${businessId}`;
  return row;
}

/** Finds a business and locks it to the end of the transaction. */
export async function lockBusiness(tx: Connection, businessId: number): Promise<BusinessRow | undefined> {
  const [row] = await tx<BusinessRow[]>`
    SELECT business_id, name, time_zone, currency, ${sandbox} FROM business WHERE business_id = ${businessId}
    FOR NO KEY UPDATE`;
  return row;
}

/** A page of businesses, newest first, with the total. */
export async function listBusinesses(sql: Connection, page: PageRequest): Promise<Page<BusinessRow>> {
  const rows = await sql<(BusinessRow & { total: number })[]>`
    WITH counted AS MATERIALIZED (SELECT count(*) AS total FROM business),
    listed AS (
      SELECT business_id, name, time_zone, currency, ${sandbox} FROM business
      ORDER BY business_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY business_id DESC`;
  return pageOf(rows, "business_id");
}

/** Changes the fields given; the others stay. @returns undefined when there is no such business */
export async function updateBusiness(
  tx: Connection,
  businessId: number,
  change: { [K in keyof NewBusiness]?: NewBusiness[K] | undefined },
): Promise<BusinessRow | undefined> {
  const [row] = await tx<BusinessRow[]>`
    UPDATE business SET name = coalesce(${change.name ?? null}, name),
      time_zone = coalesce(${change.time_zone ?? null}, time_zone),
      currency = coalesce(${change.currency ?? null}, currency)
    WHERE business_id = ${businessId}
    RETURNING business_id, name, time_zone, currency, ${sandbox}`;
  return row;
}
