import type { PeriodUnit } from "../../domain/dates.ts";
import type { Connection } from "../connection.ts";
import { first } from "../rows.ts";
import { fragment } from "../sql.ts";
import { recordTable } from "./record-table.ts";

export interface TierRow {
  readonly tier_id: number;
  readonly name: string;
  readonly expiry: number;
  readonly expiry_period: PeriodUnit;
}

const tiers = recordTable<TierRow, "tier_id">(
  "member_tier",
  "tier_id",
  ["name", "expiry", "expiry_period"],
  "oldest first",
  fragment`AND NOT deleted`,
);

export const insertTier = tiers.insert;
export const lockTier = tiers.lock;
export const updateTier = tiers.change;
export const listTierPage = tiers.page;

/** The tiers of a business, in the order they were made; deleted ones are gone. */
export function listTiers(sql: Connection, businessId: number) {
  return sql<TierRow[]>`
    SELECT tier_id, name, expiry, expiry_period
    FROM member_tier WHERE business_id = ${businessId} AND NOT deleted
    ORDER BY tier_id`;
}

/** Finds a tier and keeps it from being deleted to the end of the transaction. */
export function holdTier(tx: Connection, businessId: number, tierId: number) {
  return first(tx`
    SELECT FROM member_tier WHERE business_id = ${businessId} AND tier_id = ${tierId} AND NOT deleted FOR SHARE`);
}

/** Deletes a tier; members that had it have none. @returns whether there was one */
export async function deleteTier(tx: Connection, businessId: number, tierId: number): Promise<boolean> {
  const result = await tx`
    UPDATE member_tier SET deleted = true
    WHERE business_id = ${businessId} AND tier_id = ${tierId} AND NOT deleted`;
  return result.count === 1;
}
