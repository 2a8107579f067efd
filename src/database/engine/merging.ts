/** Makes the records of a member those of another one. Ledger entries stay as they are. */
import type { SalesDay } from "../../domain/records.ts";
import { type Connection, withCustomPlans } from "../connection.ts";
import { nameInSql, raw } from "../sql.ts";
import { memberTables } from "../tables.ts";

/** The net sales of a member by day. */
export function listMergedDays(tx: Connection, businessId: number, contactId: number) {
  return tx<SalesDay[]>`
    SELECT day::text, net FROM sales_day
    WHERE business_id = ${businessId} AND contact_id = ${contactId} AND net <> 0 ORDER BY business_id, contact_id, day`;
}

/**
 * Moves the rows that a merge moves by the table of all tables, and the sums of what is due of them and of sales. The caller holds the ledger's
 * lock, and changes the tiers of both members.
 */
export async function moveRecords(
  tx: Connection,
  businessId: number,
  from: number,
  to: number,
): Promise<void> {
  const ofTiers = raw("event = 'tier_ends'");
  await withCustomPlans(tx, () =>
    Promise.all([
      ...memberTables
        .filter(({ merging }) => merging === "moves")
        .map(
          ({ name }) => tx`
            UPDATE ${nameInSql(name)} SET contact_id = ${to} WHERE business_id = ${businessId} AND contact_id = ${from}`,
        ),
      tx`
        INSERT INTO member_due (business_id, contact_id, day, event, amount)
        SELECT business_id, ${to}, day, event, amount FROM member_due
        WHERE business_id = ${businessId} AND contact_id = ${from} AND amount <> 0 AND NOT ${ofTiers}
        ON CONFLICT (business_id, contact_id, day, event) DO UPDATE SET amount = member_due.amount + excluded.amount`,
      tx`
        DELETE FROM member_due
        WHERE business_id = ${businessId} AND contact_id = ${from} AND NOT ${ofTiers}`,
      tx`
        INSERT INTO sale_count (business_id, contact_id, sold_on, location_id, sales)
        SELECT business_id, ${to}, sold_on, location_id, sales FROM sale_count
        WHERE business_id = ${businessId} AND contact_id = ${from}
        ON CONFLICT (business_id, contact_id, sold_on, location_id) DO UPDATE SET sales = sale_count.sales + excluded.sales`,
      tx`DELETE FROM sale_count WHERE business_id = ${businessId} AND contact_id = ${from}`,
    ]),
  );
}
