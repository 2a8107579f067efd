/** Makes sales of the entries of a history, with the sums of days that lists and reports read. */
import type { Database } from "../src/database/connection.ts";
import { raw } from "../src/database/sql.ts";
import type { Business } from "../test/support/runs/operator.ts";

/** @param of "every": a sale of each entry, also of other accounts; "sale": only of those that record a sale */
export async function addSales(sql: Database, { businessId }: Business, of: "every" | "sale"): Promise<void> {
  const isWanted = raw(of === "sale" ? "event_type = 'sale'" : "true");
  await sql`
    INSERT INTO sale (business_id, sale_id, contact_id, location_id, reference_id, sold_on, created_at, amount,
      eligible_amount, points_used, points_amount, wallet_used, amount_due, earning_base, points_earned, rules_version,
      earn_points, earn_amount, earn_minimum_amount, maximum_points_per_order, refunded, points_excused, uses)
    SELECT business_id, entry_no, contact_id, coalesce(location_id, 1), reference_id, created_at::date, created_at,
      abs(amount), abs(amount), 0, 0, 0, abs(amount), abs(amount), 0, 1,
      0, 1, 0, 0, CASE WHEN entry_no % 20 = 0 THEN abs(amount) / 2 ELSE 0 END, 0, '[]'
    FROM ledger_entry WHERE business_id = ${businessId} AND ${isWanted}`;
  await sql`
    INSERT INTO sale_count (business_id, sold_on, location_id, sales)
    SELECT business_id, sold_on, location_id, count(*) FROM sale WHERE business_id = ${businessId} GROUP BY 1, 2, 3`;
  await sql`
    INSERT INTO sales_day (business_id, contact_id, day, location_id, net, sales)
    SELECT business_id, contact_id, sold_on, location_id, sum(amount - refunded), count(*) FROM sale
    WHERE business_id = ${businessId} GROUP BY business_id, contact_id, sold_on, location_id
    ON CONFLICT (business_id, contact_id, day, location_id) DO UPDATE SET net = excluded.net, sales = excluded.sales`;
  await sql`
    INSERT INTO sale_refund (business_id, sale_id, refunded, amount, money_back, wallet_back, points_back, points_clawed,
      points_excused, points_owed, points_forgiven, vouchers_back, location_id, reference_id, created_at)
    SELECT business_id, sale_id, refunded, refunded, refunded, 0, 0, 0, 0, 0, 0, '{}', location_id, reference_id, created_at
    FROM sale WHERE business_id = ${businessId} AND refunded > 0`;
  await sql`VACUUM ANALYZE`;
}
