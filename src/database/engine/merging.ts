/** Makes the records of a member those of another one. Ledger entries stay as they are. */
import type { SalesOfDay } from "../../domain/records.ts";
import { type Connection, withCustomPlans } from "../connection.ts";
import { nameInSql, raw } from "../sql.ts";
import { memberTables } from "../tables.ts";

/** The net sales of a member by day and location. */
export function listMergedDays(tx: Connection, businessId: number, contactId: number) {
  return tx<SalesOfDay[]>`
    SELECT day::text, location_id, net, sales FROM sales_day
    WHERE business_id = ${businessId} AND contact_id = ${contactId} AND net <> 0
    ORDER BY business_id, contact_id, day, location_id`;
}

/**
 * Moves the rows that a merge moves by the table of all tables, the sums of what is due of them, and the counts of sales. The caller
 * holds the ledger's lock, changes the tiers and stamp cards of both members, and moves their balances.
 */
export async function moveRecords(
  tx: Connection,
  businessId: number,
  from: number,
  to: number,
): Promise<void> {
  const byRule = raw("event IN ('tier_ends', 'stamps_lapse')");
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
        WHERE business_id = ${businessId} AND contact_id = ${from} AND amount <> 0 AND NOT ${byRule}
        ON CONFLICT (business_id, contact_id, day, event) DO UPDATE SET amount = member_due.amount + excluded.amount`,
      tx`
        DELETE FROM member_due
        WHERE business_id = ${businessId} AND contact_id = ${from} AND NOT ${byRule}`,
      tx`
        INSERT INTO grant_count (business_id, contact_id, promotion_id, day, given)
        SELECT business_id, ${to}, promotion_id, day, given FROM grant_count
        WHERE business_id = ${businessId} AND contact_id = ${from} AND given <> 0
        ON CONFLICT (business_id, contact_id, promotion_id, day) DO UPDATE SET given = grant_count.given + excluded.given`,
      tx`UPDATE grant_count SET given = 0 WHERE business_id = ${businessId} AND contact_id = ${from} AND given <> 0`,
      // If both have got something for an occurrence, one grant says so, as of the later day: from then on, no other birthday counts.
      tx`
        UPDATE occasion_grant g SET granted_on = o.granted_on FROM occasion_grant o
        WHERE g.business_id = ${businessId} AND g.contact_id = ${to} AND o.business_id = g.business_id AND o.contact_id = ${from}
          AND o.occasion_id = g.occasion_id AND o.occurrence = g.occurrence AND o.granted_on > g.granted_on`,
      tx`
        UPDATE occasion_grant g SET contact_id = ${to}
        WHERE g.business_id = ${businessId} AND g.contact_id = ${from} AND NOT EXISTS (
          SELECT FROM occasion_grant o WHERE o.business_id = g.business_id AND o.contact_id = ${to}
            AND o.occasion_id = g.occasion_id AND o.occurrence = g.occurrence
        )`,
      tx`DELETE FROM occasion_grant WHERE business_id = ${businessId} AND contact_id = ${from}`,
      tx`
        INSERT INTO sales_day (business_id, contact_id, day, location_id, net, sales)
        SELECT business_id, ${to}, day, location_id, 0, sales FROM sales_day
        WHERE business_id = ${businessId} AND contact_id = ${from} AND sales <> 0
        ON CONFLICT (business_id, contact_id, day, location_id) DO UPDATE SET sales = sales_day.sales + excluded.sales`,
      tx`UPDATE sales_day SET sales = 0 WHERE business_id = ${businessId} AND contact_id = ${from} AND sales <> 0`,
    ]),
  );
}
