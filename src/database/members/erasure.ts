/** Erasing a member's personal data. The row stays, with its ids: the ledger refers to it. */
import type { Connection } from "../connection.ts";

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

/** Erases a member's personal data, and makes it inactive. The caller holds the locks on the ledger and the member. */
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
