/** What only an operator changes of a member: whether it is active, its tier, and that its personal data is erased. */
import type { Connection } from "../connection.ts";
import { lockLedger } from "../ledger/ledger.ts";
import { first } from "../rows.ts";
import { fragment } from "../sql.ts";
import { countMembers } from "./blocks.ts";
import type { MemberRow } from "./members.ts";

export interface StandingRow extends Pick<MemberRow, "member_id" | "contact_id" | "active"> {
  /** Null for a tier that was deleted, too. */
  readonly tier_id: number | null;
}

/** Finds a member that is not erased, and locks it to the end of the transaction. */
export function lockStanding(tx: Connection, businessId: number, contactId: number) {
  return first(tx<StandingRow[]>`
    SELECT m.member_id, m.contact_id, m.active, t.tier_id
    FROM member m
    LEFT JOIN member_tier t ON t.business_id = ${businessId} AND t.tier_id = m.tier_id AND NOT t.deleted
    WHERE m.business_id = ${businessId} AND m.contact_id = ${contactId} AND m.erased_at IS NULL
    FOR NO KEY UPDATE OF m`);
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
export function setTier(tx: Connection, businessId: number, contactId: number, tierId: number | null) {
  return tx`
    UPDATE member SET tier_id = ${tierId} WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
}

/**
 * What an erased member's fields hold. +999 is no country's code, and 15 digits are too many for any other: nobody has the
 * number, and no other erased member of the business does.
 */
const erasedFields = (contactId: number) => ({
  first_name: "Erased",
  last_name: "Member",
  phone_number: `+999${String(contactId).padStart(12, "0").slice(-12)}`,
  email: null,
});

/**
 * Erases a member's personal data, and makes it inactive. The row stays, with its ids: the ledger refers to it. The
 * caller holds the locks on the ledger and the member.
 */
export async function eraseMember(tx: Connection, businessId: number, contactId: number): Promise<void> {
  const fields = erasedFields(contactId);
  await tx`
    UPDATE member SET first_name = ${fields.first_name}, last_name = ${fields.last_name},
      phone_number = ${fields.phone_number}, email = NULL, date_of_birth = NULL, password_hash = NULL,
      external_ref = NULL, tier_id = NULL, searchable_text = '', erased_at = now()
    WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
  // The keys stay: a retried request must not create the member again.
  await tx`
    UPDATE idempotency_key k SET answer = jsonb_set(k.answer::jsonb, '{data}', (
      SELECT jsonb_object_agg(field.name, coalesce(${fields}::jsonb -> field.name, field.value))
      FROM jsonb_each(k.answer::jsonb -> 'data') AS field (name, value)
    ))::text
    WHERE business_id = ${businessId} AND answer LIKE '%"first_name"%'
      AND substring(answer FROM '"contact_id":(\\d+)')::bigint = ${contactId}`;
}
