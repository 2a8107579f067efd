/**
 * Postings change no row of their business that others change, too. While a snapshot is open, such as that of a backup, PostgreSQL keeps
 * all versions of a row, and each posting would read past those of all postings since.
 */
import { expect, it } from "vitest";
import { mergeParts } from "../../src/database/ledger/sums.ts";
import { tables } from "../../src/database/tables.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

const ofBusiness = Object.entries(tables).flatMap(([table, { owner }]) =>
  owner === "business" ? table : [],
);

/** All row versions of a business. */
async function rowsOf(businessId: number): Promise<string[]> {
  const perTable = await Promise.all(
    ofBusiness.map((table) =>
      world.sql.query(
        `SELECT '${table} ' || ctid || ' ' || xmin AS row FROM "${table}" WHERE business_id = ${businessId}`,
      ),
    ),
  );
  return perTable.flatMap((rows) => (rows as unknown as { row: string }[]).map(({ row }) => row));
}

it("sales with points and vouchers, top-ups, adjustments and refunds leave the rows of their business as they are", async () => {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { businessId: business_id, locationId: location_id, write } = shop;
  await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
  const coffee = { campaign_name: "Coffee", coupon_code: "C1", coupon_value: 350 };
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", { business_id, ...coffee });
  const benefit = { title: "50 and 5", amount: 5000, promo_amount: 500, location_id };
  const { benefit_id } = await write("/sp/wallet/topup-benefits/create", benefit);
  const visit = async (contact_id: number) => {
    await write("/sp/wallet/topup", { contact_id, location_id, benefit_id });
    await write("/sp/wallet/adjust", { contact_id, location_id, adjustment_type: "credit", amount: 100 });
    const { held_voucher_id } = await write("/sp/vouchers/issue", { contact_id, voucher_id });
    const paid = { contact_id, location_id, amount: 5000, use_vouchers: [held_voucher_id], use_wallet: 1000 };
    const { sale_id } = await write("/sp/sales/record", paid);
    await write("/sp/sales/refund", { sale_id, location_id, amount: 200 });
  };
  const [first, second] = [await shop.member(), await shop.member()];
  await visit(first);
  const before = await rowsOf(business_id);
  await visit(second);
  const after = new Set(await rowsOf(business_id));
  expect(after.size).toBeGreaterThan(before.length);
  expect(before.filter((row) => !after.has(row))).toEqual([]);

  const sums = () => world.sql`
    SELECT 'sales' AS of, sold_on::text AS what, sum(sales)::bigint AS items FROM sale_count WHERE business_id = ${business_id} GROUP BY 2
    UNION ALL
    SELECT 'owed', kind || ends_on || begins_on, sum(amount)::bigint FROM liability_change WHERE business_id = ${business_id} GROUP BY 2
    UNION ALL
    SELECT 'day', what || location_id, sum(amount)::bigint FROM day_total WHERE business_id = ${business_id} GROUP BY 2
    ORDER BY 1, 2`;
  const apart = await sums();
  await world.sql.begin((tx) => mergeParts(tx, business_id, 0, Number.MAX_SAFE_INTEGER));
  expect(await sums()).toEqual(apart);
  for (const table of ["sale_count", "liability_change", "day_total"]) {
    const parts = await world.sql.query(
      `SELECT DISTINCT part FROM ${table} WHERE business_id = ${business_id}`,
    );
    expect(parts).toEqual([{ part: 0 }]);
  }
});
