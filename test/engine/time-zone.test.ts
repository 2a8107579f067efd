/** A business that gets another time zone, in which today is the day before: its rules and reports go on. */
import { expect, it } from "vitest";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);

/** A sandbox with a member and its sale on 10 January. Then it is 9 January. */
async function moveWest() {
  const shop = await makeSandbox(world, "2026-01-10 12:00:00", "Pacific/Kiritimati");
  const business_id = shop.businessId;
  const contact_id = await shop.member();
  const sell = async (more = {}) => {
    const sale = { contact_id, location_id: shop.locationId, amount: 1000, ...more };
    return (await shop.write("/sp/sales/record", sale)).points_earned;
  };
  const earnings = [await sell()];
  await shop.write("/sp/wallet/topup", { contact_id, location_id: shop.locationId, amount: 700 });
  const voucher = { campaign_name: "Spring", coupon_code: "SPRING", coupon_value: 300 };
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", { business_id, ...voucher });
  await shop.write("/sp/vouchers/issue", { contact_id, voucher_id });
  await operatorWrite(world, "/op/businesses/update", { business_id, time_zone: "Pacific/Pago_Pago" });
  expect((await shop.ask("/sp/sandbox/clock/get", {})).clock_at).toMatch(/^2026-01-09/);
  return { shop, business_id, sell, earnings };
}

it("changes its rules from the change on, on that day and on later days", async () => {
  const { shop, business_id, sell, earnings } = await moveWest();
  earnings.push(await sell());
  const double = { business_id, program_id: shop.programId, earn_points: 2 };
  await operatorWrite(world, "/op/programs/update", double);
  earnings.push(await sell(), await sell({ sold_on: "2026-01-09" }));
  for (const day of ["2026-01-10", "2026-01-11"]) {
    await shop.advance(`${day} 12:00:00`);
    earnings.push(await sell());
  }
  expect(earnings).toEqual([10, 10, 20, 20, 20, 20]);
  await expectValidLedger(shop);
});

it("reports all that it owes today", async () => {
  const { business_id } = await moveWest();
  const { body } = await asOperator(world, "/op/reports/liabilities", { business_id });
  expect(body.data).toMatchObject({
    on: "2026-01-09",
    points: 10,
    points_amount: 50,
    wallet: 700,
    vouchers: 1,
    vouchers_amount: 300,
  });
});
