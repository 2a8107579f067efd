/** The sums of what is due, after a test has changed lots by itself. */
import type { Database } from "../../src/database/connection.ts";

/** Makes the sums of a business those of its lots. */
export async function sumDue(sql: Database, businessId: number): Promise<void> {
  await sql`DELETE FROM member_due WHERE business_id = ${businessId}`;
  await sql`
    INSERT INTO member_due (business_id, contact_id, day, event, amount)
    SELECT business_id, contact_id, coalesce(CASE WHEN matured THEN expires_on ELSE matures_on END, 'infinity'),
      CASE WHEN matured THEN 'points_expire' ELSE 'points_mature' END, sum(points - clawed - used - expired)
    FROM points_lot WHERE business_id = ${businessId} AND points > clawed + used + expired GROUP BY 1, 2, 3, 4`;
}
