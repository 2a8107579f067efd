/** What a business owes, as a table and as CSV. */
import { expect, it } from "vitest";
import { useCli } from "../support/cli.ts";
import { zoneAtNoon } from "../support/local-times.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const cli = useCli(world);

it("prints everything that is owed once, also in a business without members", async () => {
  const { businessId: business, locationIds, everywhere } = await world.business("Noon", zoneAtNoon());
  const words = ["report", "liabilities", "--business", String(business)];
  const { data: today } = (await asOperator(world, "/op/reports/liabilities", { business_id: business }))
    .body;
  const empty = await cli.ok([...words, "--csv"]);
  expect(empty.split("\n")).toEqual([
    "on,what,month,number,amount",
    `${today.on},points_pending,,0,0`,
    `${today.on},points_owed,,0,`,
    `${today.on},wallet,,,0`,
    `${today.on},wallet_bonus,,,0`,
    "",
  ]);
  expect(await cli.ok(words)).toContain("all vouchers");

  const contact_id = await world.member(newPerson(), everywhere);
  const place = { business_id: business, contact_id, location_id: locationIds[0] };
  const offer = { title: "Get 1", amount: 900_000_000_000, promo_amount: 300_000_000_000 };
  const { benefit_id } = await operatorWrite(world, "/op/topup-benefits/create", {
    ...place,
    contact_id: undefined,
    ...offer,
  });
  await operatorWrite(world, "/op/wallet/topup", { ...place, benefit_id, reason: "Paid" });
  await operatorWrite(world, "/op/members/adjust-points", {
    business_id: business,
    contact_id,
    points: 999_999_999_999,
    adjustment_type: "credit",
    reason: "Big",
  });
  const full = await cli.ok([...words, "--csv"]);
  expect(full).toContain(`${today.on},points,never,999999999999,4999999999950\n`);
  expect(full).toContain(`${today.on},wallet,,,900000000000\n`);
  expect(full).toContain(`${today.on},wallet_bonus,,,300000000000\n`);
  const table = await cli.ok(words);
  for (const line of table.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(table).toMatch(/all wallets +- +- +12,000,000,000\.00 EUR/);
  const activity = ["report", "activity", "--business", String(business), "--by", "month"];
  expect(await cli.ok([...activity, "--csv"])).toMatch(/^starts_on,ends_on,sales,.*\n\d{4}-\d{2}-01,/);
});
