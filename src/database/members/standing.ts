/** What only an operator changes of a member: whether it is active, and its tier. */
import type { Connection } from "../connection.ts";
import { lockLedger } from "../ledger/ledger.ts";
import { fragment } from "../sql.ts";
import { countMembers } from "./blocks.ts";

export interface StandingRow {
  readonly member_id: number;
  readonly contact_id: number;
  readonly active: boolean;
  /** Null for a tier that was deleted, too. */
  readonly tier_id: number | null;
}

/** Finds a member that is not erased, and locks it to the end of the transaction. */
export async function lockStanding(
  tx: Connection,
  businessId: number,
  contactId: number,
): Promise<StandingRow | undefined> {
  const [row] = await tx<StandingRow[]>`
    SELECT m.member_id, m.contact_id, m.active, t.tier_id
    FROM member m
    LEFT JOIN member_tier t ON t.business_id = ${businessId} AND t.tier_id = m.tier_id AND NOT t.deleted
    WHERE m.business_id = ${businessId} AND m.contact_id = ${contactId} AND m.erased_at IS NULL
    FOR NO KEY UPDATE OF m`;
  return row;
}

/**
 * Makes a member active or inactive, and its accounts with it.
 * @returns its standing before, or undefined when there is no such member
 */
export async function setActive(
  tx: Connection,
  businessId: number,
  contactId: number,
  active: boolean,
): Promise<StandingRow | undefined> {
  // Postings check under the ledger's lock whether a member is active. The ledger is locked before the
  // member.
  await lockLedger(tx, businessId);
  const before = await lockStanding(tx, businessId, contactId);
  if (before === undefined || before.active === active) return before;
  await tx`
    UPDATE member SET active = ${active}
    WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
  await tx`
    UPDATE account SET active = ${active} WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
  await countMembers(tx, businessId, fragment`SELECT ${before.member_id}::bigint`, {
    members: 0,
    active: active ? 1 : -1,
  });
  return before;
}

/** Gives a member a tier, or none. The caller holds the member's lock and knows the tier. */
export async function setTier(
  tx: Connection,
  businessId: number,
  contactId: number,
  tierId: number | null,
): Promise<void> {
  await tx`
    UPDATE member SET tier_id = ${tierId} WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
}
