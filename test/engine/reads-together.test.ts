/** Requests that read members at the same time share statements: each gets what it gets alone. */
import { expect, it } from "vitest";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

it("returns for many reads at once what it returns for each of them alone", async () => {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const location_id = shop.locationId;
  const voucher = { campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 400, points_price: 5 };
  const campaign = await operatorWrite(world, "/op/vouchers/create", {
    business_id: shop.businessId,
    ...voucher,
    validity: 1,
    validity_period: "month",
  });
  const members = [await shop.member(), await shop.member(), await shop.member(), await shop.member()];
  const [rich, poor, due, merged] = members as [number, number, number, number];
  const credit = { adjustment_type: "credit", location_id, amount: 5000 };
  await shop.write("/sp/wallet/adjust", { contact_id: rich, ...credit });
  const sale = (contact_id: number, amount: number) =>
    shop.write("/sp/sales/record", { contact_id, location_id, amount });
  const { sale_id } = await sale(rich, 9000);
  await sale(poor, 100);
  await sale(due, 2000);
  await sale(merged, 3000);
  await shop.advance("2026-02-20 09:00:00");
  const held = { contact_id: rich, voucher_id: campaign.voucher_id, location_id };
  const { held_voucher_id } = await shop.write("/sp/vouchers/issue", held);
  await shop.write("/sp/members/merge", { from_contact_id: merged, contact_id: poor });
  const quote = { location_id, amount: 2500 };
  const reads: [path: string, body: object][] = [
    ...members.map((contact_id): [string, object] => ["/sp/sales/quote", { contact_id, ...quote }]),
    ["/sp/sales/quote", { contact_id: rich, ...quote, use_points: 3, use_wallet: 100 }],
    ["/sp/sales/quote", { contact_id: rich, ...quote, use_vouchers: [held_voucher_id] }],
    ["/sp/sales/quote", { contact_id: rich, ...quote, sold_on: "2026-02-01" }],
    ["/sp/sales/quote", { contact_id: poor, ...quote, use_points: 1_000_000 }],
    ["/sp/sales/quote", { contact_id: 999_999_999, ...quote }],
    ...members.map((contact_id): [string, object] => ["/sp/members/balances", { contact_id }]),
    ["/sp/sales/get", { sale_id }],
    ...members.map((contact_id): [string, object] => ["/sp/vouchers/list", { contact_id }]),
    ...members.map((contact_id): [string, object] => ["/sp/reward-points/list", { contact_id }]),
  ];
  const ask = async ([path, body]: [string, object]) => {
    const { status, text } = await world.ask(path, body, shop.credentials);
    return { path, body, status, text };
  };
  const alone: Awaited<ReturnType<typeof ask>>[] = [];
  for (const read of reads) alone.push(await ask(read));
  expect(new Set(alone.map(({ status }) => status))).toEqual(new Set([200, 404, 409]));
  for (const order of [reads, reads.toReversed()]) {
    const together = await Promise.all([...order, ...order, ...order].map(ask));
    for (const one of together) expect(alone).toContainEqual(one);
  }
});
