import type { PeriodUnit } from "../../domain/dates.ts";
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { pageOf } from "../page.ts";

export interface TierRow {
  readonly tier_id: number;
  readonly name: string;
  readonly expiry: number;
  readonly expiry_period: PeriodUnit;
}

/** The tiers of a business, in the order they were made; deleted ones are gone. */
export function listTiers(sql: Connection, businessId: number): Promise<TierRow[]> {
  return sql<TierRow[]>`
    SELECT tier_id, name, expiry, expiry_period
    FROM member_tier WHERE business_id = ${businessId} AND NOT deleted
    ORDER BY tier_id`;
}

/** Makes a tier. */
export async function insertTier(
  tx: Connection,
  businessId: number,
  tier: Omit<TierRow, "tier_id">,
): Promise<TierRow> {
  const [row] = await tx<TierRow[]>`
    INSERT INTO member_tier (business_id, name, expiry, expiry_period)
    VALUES (${businessId}, ${tier.name}, ${tier.expiry}, ${tier.expiry_period})
    RETURNING tier_id, name, expiry, expiry_period`;
  return row as TierRow;
}

/** A page of the tiers of a business, in the order they were made, with the total; deleted ones are gone. */
export async function listTierPage(
  sql: Connection,
  businessId: number,
  page: PageRequest,
): Promise<Page<TierRow>> {
  const rows = await sql<(TierRow & { total: number })[]>`
    WITH counted AS MATERIALIZED (
      SELECT count(*) AS total FROM member_tier WHERE business_id = ${businessId} AND NOT deleted
    ), listed AS (
      SELECT tier_id, name, expiry, expiry_period
      FROM member_tier WHERE business_id = ${businessId} AND NOT deleted
      ORDER BY tier_id LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY tier_id`;
  return pageOf(rows, "tier_id");
}

/** Finds a tier and keeps it from being deleted to the end of the transaction. */
export async function holdTier(
  tx: Connection,
  businessId: number,
  tierId: number,
): Promise<TierRow | undefined> {
  const [row] = await tx<TierRow[]>`
    SELECT tier_id, name, expiry, expiry_period
    FROM member_tier WHERE business_id = ${businessId} AND tier_id = ${tierId} AND NOT deleted
    FOR SHARE`;
  return row;
}

/** Finds a tier and locks it to the end of the transaction. */
export async function lockTier(
  tx: Connection,
  businessId: number,
  tierId: number,
): Promise<TierRow | undefined> {
  const [row] = await tx<TierRow[]>`
    SELECT tier_id, name, expiry, expiry_period
    FROM member_tier WHERE business_id = ${businessId} AND tier_id = ${tierId} AND NOT deleted
    FOR NO KEY UPDATE`;
  return row;
}

export interface TierChange {
  readonly name?: string | undefined;
  readonly expiry?: number | undefined;
  readonly expiry_period?: PeriodUnit | undefined;
}

/** Changes the fields given; the others stay. @returns undefined when there is no such tier */
export async function updateTier(
  tx: Connection,
  businessId: number,
  tierId: number,
  change: TierChange,
): Promise<TierRow | undefined> {
  const [row] = await tx<TierRow[]>`
    UPDATE member_tier SET name = coalesce(${change.name ?? null}, name),
      expiry = coalesce(${change.expiry ?? null}, expiry),
      expiry_period = coalesce(${change.expiry_period ?? null}, expiry_period)
    WHERE business_id = ${businessId} AND tier_id = ${tierId} AND NOT deleted
    RETURNING tier_id, name, expiry, expiry_period`;
  return row;
}

/** Deletes a tier; members that had it have none. @returns whether there was one */
export async function deleteTier(tx: Connection, businessId: number, tierId: number): Promise<boolean> {
  const result = await tx`
    UPDATE member_tier SET deleted = true
    WHERE business_id = ${businessId} AND tier_id = ${tierId} AND NOT deleted`;
  return result.count === 1;
}
