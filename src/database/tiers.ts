import type { Connection } from "./connection.ts";
import type { PeriodUnit } from "./rewards.ts";

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
