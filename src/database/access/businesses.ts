import type { MoveState } from "../../domain/moving.ts";
import type { Page, PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { beginRulesByToday, insertRules } from "../engine/rules.ts";
import { countAll } from "../ledger/counts.ts";
import { allMembers } from "../ledger/day-totals.ts";
import { lastRecordedAt, lockLedger } from "../ledger/ledger.ts";
import { firstRow, newestFirst, readPage, requiredRow } from "../rows.ts";
import { assignmentsOf, type ChangeOf, fragment, nameInSql, raw } from "../sql.ts";
import { requiredDecimals } from "./currencies.ts";

/** The ids of all businesses, for background work. The first is 0, to which the idempotency keys of operators belong. */
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
  /** ISO 3166-1 alpha-2 code. */
  readonly country?: string | null | undefined;
  /** Such as #0b7285. */
  readonly color?: string | null | undefined;
}

export interface BusinessRow extends NewBusiness {
  readonly business_id: number;
  readonly currency_decimals: number;
  readonly country: string | null;
  readonly color: string | null;
  /** Below the base address. */
  readonly logo_path: string | null;
  /** Whether it has its own clock, for tests. */
  readonly sandbox: boolean;
  readonly events_enabled: boolean;
}

/** What the page of a member shows of its business. */
export type ShownBusiness = Pick<
  BusinessRow,
  ("name" | "color" | "logo_path" | "country" | "time_zone") | ("currency" | "currency_decimals")
>;

/** A business, and whether it moves to another database. */
export interface FoundBusiness extends BusinessRow {
  readonly move_state: MoveState | null;
}

/** Where the logo of a row of `business` is, below the base address. Another logo has another address, so browsers keep it. */
export const logoPath = raw(`'/card/' || business.business_id || '.' || business.logo_digest || '/logo.png'`);

const columns = fragment`business_id, name, time_zone, currency, currency_decimals, country, color, ${logoPath} AS logo_path,
  (SELECT clock_at IS NOT NULL FROM ledger WHERE ledger.business_id = business.business_id) AS sandbox,
  (SELECT events_enabled FROM ledger WHERE ledger.business_id = business.business_id) AS events_enabled`;

/** Keeps others from making a business until the end of the transaction. @returns whether there is none, and the time */
export async function lockBusinesses(tx: Connection): Promise<{ none: boolean; now: number }> {
  await tx`LOCK TABLE business IN SHARE ROW EXCLUSIVE MODE`;
  return requiredRow(tx<{ none: boolean; now: number }[]>`
    SELECT NOT EXISTS (SELECT FROM business) AS none,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`);
}

/** The time in the time zone of a business and on its clock, YYYY-MM-DD HH:MM:SS; "" when there is no such business. */
export async function findLocalTime(sql: Connection, businessId: number): Promise<string> {
  const row = await firstRow(sql<{ now: string }[]>`
    SELECT to_char(coalesce(l.clock_at, clock_timestamp()) AT TIME ZONE b.time_zone, 'YYYY-MM-DD HH24:MI:SS') AS now
    FROM business b JOIN ledger l ON l.business_id = b.business_id
    WHERE b.business_id = ${businessId}`);
  return row?.now ?? "";
}

/** The day in the time zone of a business and on its clock, YYYY-MM-DD; undefined when there is no such business. */
export async function findToday(sql: Connection, businessId: number): Promise<string | undefined> {
  return (await findLocalTime(sql, businessId)).slice(0, 10) || undefined;
}

/** Whether the time zone tables of the database have this name. */
export async function knowsTimeZone(sql: Connection, name: string): Promise<boolean> {
  return (await findTimeZones(sql, [name])).length > 0;
}

/** Those of these names that the time zone tables of the database have. */
export async function findTimeZones(sql: Connection, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await sql<{ name: string }[]>`
    SELECT given.name FROM unnest(${names}::text[]) AS given (name)
    WHERE lower(given.name) IN (SELECT lower(name) FROM pg_timezone_names)`;
  return rows.map(({ name }) => name);
}

/**
 * Makes a business with its empty ledger and default reward settings.
 * @param clock for a sandbox: the first time of its clock, in wall-clock time, or null for now
 * @returns its business_id
 */
export async function insertBusiness(
  tx: Connection,
  business: NewBusiness,
  clock?: { readonly clock_at: string | null } | undefined,
): Promise<number> {
  const { business_id: businessId } = await requiredRow(tx<{ business_id: number }[]>`
    INSERT INTO business (name, time_zone, currency, currency_decimals, country, color)
    VALUES (${business.name}, ${business.time_zone}, ${business.currency}, ${requiredDecimals(business.currency)},
      ${business.country ?? null}, ${business.color ?? null})
    RETURNING business_id`);
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
export function findBusiness(sql: Connection, businessId: number) {
  return firstRow(sql<FoundBusiness[]>`
    SELECT ${columns}, (SELECT move_state FROM ledger WHERE ledger.business_id = business.business_id) AS move_state
    FROM business WHERE business_id = ${businessId}`);
}

/** The business of a caller, with the day on its clock. */
export function readBusiness(sql: Connection, businessId: number) {
  return requiredRow(sql<(BusinessRow & { readonly today: string })[]>`
    SELECT ${columns}, (
      SELECT to_char(coalesce(clock_at, clock_timestamp()) AT TIME ZONE time_zone, 'YYYY-MM-DD')
      FROM ledger WHERE ledger.business_id = business.business_id
    ) AS today
    FROM business WHERE business_id = ${businessId}`);
}

/** Finds a business and locks it to the end of the transaction. */
export function lockBusiness(tx: Connection, businessId: number) {
  return firstRow(tx<BusinessRow[]>`
    SELECT ${columns} FROM business WHERE business_id = ${businessId} FOR NO KEY UPDATE`);
}

/** Leaves out the copy of a business whose home is another database. */
const isHere = raw(
  "NOT EXISTS (SELECT FROM ledger l WHERE l.business_id = business.business_id AND l.move_state = 'arriving')",
);

/** A condition for some businesses. @param ids null: all */
export const amongBusinesses = (ids: readonly number[] | null) =>
  ids === null ? fragment`true` : fragment`business_id = ANY (${[...ids]}::bigint[])`;

/** @param ids only these businesses; null: all */
export function listBusinesses(
  sql: Connection,
  ids: readonly number[] | null,
  page: PageRequest,
): Promise<Page<BusinessRow>> {
  const list = {
    columns,
    from: fragment`FROM business WHERE ${amongBusinesses(ids)} AND ${isHere}`,
    sort: newestFirst("business_id"),
  };
  return readPage<BusinessRow>(sql, list, page);
}

/**
 * Counts all entries by their days in the time zone that a business has, before it gets another one. The caller holds the ledger's
 * lock.
 */
async function endDaysOfTimeZone(tx: Connection, businessId: number, next: string): Promise<void> {
  await countAll(tx, businessId);
  await tx`
    UPDATE ledger_count c SET former_days_end = greatest(c.former_days_end, (last.at AT TIME ZONE b.time_zone)::date,
      (last.at AT TIME ZONE ${next})::date)
    FROM business b, ledger l CROSS JOIN LATERAL (
      SELECT greatest(${lastRecordedAt(raw("l.business_id"))}, coalesce(l.clock_at, clock_timestamp())) AS at
    ) AS last
    WHERE c.business_id = ${businessId} AND c.contact_id = ${allMembers} AND b.business_id = ${businessId} AND l.business_id = ${businessId}`;
}

/** Changes some fields. @returns undefined when there is no such business */
export async function updateBusiness(tx: Connection, businessId: number, change: ChangeOf<NewBusiness>) {
  const fields = ["name", "time_zone", "currency", "currency_decimals", "country", "color"] as const;
  const { currency, time_zone } = change;
  if (time_zone !== undefined && (await lockLedger(tx, businessId)) !== undefined) {
    await endDaysOfTimeZone(tx, businessId, time_zone);
  }
  const changed = {
    ...change,
    currency_decimals: currency === undefined ? undefined : requiredDecimals(currency),
  };
  const isChanged = fields.some((field) => changed[field] !== undefined);
  const [before, after] = await Promise.all([
    lockBusiness(tx, businessId),
    isChanged
      ? firstRow(tx<BusinessRow[]>`
          UPDATE business SET ${assignmentsOf<BusinessRow>(fields, changed)}
          WHERE business_id = ${businessId} RETURNING ${columns}`)
      : lockBusiness(tx, businessId),
  ]);
  if (time_zone !== undefined) await beginRulesByToday(tx, businessId);
  return before && after && { before, after };
}

/** @param logo a PNG; null: none. @returns undefined when there is no such business */
export async function putLogo(tx: Connection, businessId: number, logo: Buffer | null) {
  const before = await lockBusiness(tx, businessId);
  const after = await firstRow(tx<BusinessRow[]>`
    UPDATE business SET logo = ${logo}::bytea, logo_digest = left(encode(sha256(${logo}::bytea), 'hex'), 32)
    WHERE business_id = ${businessId} RETURNING ${columns}`);
  return before && after && { before, after };
}

/** @param digest finds the logo only if it has this digest, as its address does; by default, any logo of the business */
export async function findLogo(sql: Connection, businessId: number, digest?: string) {
  const row = await firstRow(sql<{ logo: Buffer | null }[]>`
    SELECT logo FROM business
    WHERE business_id = ${businessId} AND logo_digest = coalesce(${digest ?? null}, logo_digest)`);
  return row?.logo ?? undefined;
}

/** The table of each field; the column has the name of the field. */
const tables = {
  contact_id: "member",
  integration_id: "integration",
  location_id: "location",
  tier_id: "member_tier",
  program_id: "reward_program",
  voucher_id: "voucher",
  benefit_id: "topup_benefit",
  promotion_id: "promotion",
  stamp_card_id: "stamp_card",
} as const;
const fields = Object.keys(tables) as (keyof typeof tables)[];

export type RecordNames = { readonly [Field in keyof typeof tables | "business_id"]?: number | undefined };

/**
 * Up to ten businesses that have all of these records. `ids` are the only ones; null: all. OFFSET 0 makes each subquery a probe of the primary key for each
 * business. As a join, it might read all members.
 */
export async function findBusinessesOf(
  sql: Connection,
  ids: readonly number[] | null,
  names: RecordNames,
): Promise<BusinessRow[]> {
  const { business_id } = names;
  const among =
    business_id === undefined
      ? amongBusinesses(ids)
      : fragment`${amongBusinesses(ids)} AND business_id = ${business_id}`;
  const hasAll = fields
    .filter((field) => names[field] !== undefined)
    .reduce(
      (condition, field) => fragment`${condition} AND EXISTS (
        SELECT FROM ${nameInSql(tables[field])} AS record
        WHERE record.business_id = business.business_id AND ${nameInSql(field)} = ${names[field] as number} OFFSET 0)`,
      among,
    );
  return sql<BusinessRow[]>`
    SELECT ${columns} FROM business WHERE ${hasAll} AND ${isHere} ORDER BY business_id LIMIT 10`;
}
