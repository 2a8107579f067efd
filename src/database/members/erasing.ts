/** Erases the personal data of a member, by the table of all tables. */
import type { Connection } from "../connection.ts";
import { keysOfOperators } from "../ledger/idempotency-keys.ts";
import { fragment, list, nameInSql, raw } from "../sql.ts";
import { deletesRow, memberTables } from "../tables.ts";

/**
 * Erases a member. Its row stays for the ledger, and its idempotency keys stay, so that a retried request does not create it again. The
 * caller holds the locks of the ledger and the member.
 */
export async function eraseMember(tx: Connection, businessId: number, contactId: number): Promise<void> {
  const rowsOf: Readonly<Record<string, typeof own>> = {
    // The keys of operators belong to no business, but to the one that their write names.
    idempotency_key: fragment`business_id IN (${businessId}, ${keysOfOperators})
      AND coalesce(named_business_id, ${businessId}) = ${businessId}`,
  };
  const own = fragment`business_id = ${businessId}`;
  for (const { name, erased } of memberTables) {
    const isOfMember = fragment`${rowsOf[name] ?? own} AND contact_id = ${contactId}`;
    const changes = Object.entries(erased).map(([column, value]) =>
      value === deletesRow ? value : raw(`${column} = ${value}`),
    );
    const kept = changes.filter((change) => change !== deletesRow);
    if (kept.length < changes.length) await tx`DELETE FROM ${nameInSql(name)} WHERE ${isOfMember}`;
    else if (kept.length > 0) await tx`UPDATE ${nameInSql(name)} SET ${list(kept)} WHERE ${isOfMember}`;
  }
  await tx`
    UPDATE member SET erased_at = coalesce((SELECT clock_at FROM ledger WHERE business_id = ${businessId}), now())
    WHERE business_id = ${businessId} AND contact_id = ${contactId}`;
}
