/** Each entry of the ledger leads to its sale, so that accountants can join them. */
import { expect, it } from "vitest";
import { asOperator } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

it("names the sale of each entry and its day, also for refunds, and none for entries of their own", async () => {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { businessId: business_id, locationId: location_id, write } = shop;
  const contact_id = await shop.member();
  const ofReceipt = { contact_id, reference_id: "receipt-1" };
  await write("/sp/wallet/adjust", { contact_id, location_id, adjustment_type: "credit", amount: 5000 });
  const sale = { ...ofReceipt, location_id, amount: 4000, use_wallet: 1000, sold_on: "2026-01-09" };
  const { sale_id } = await write("/sp/sales/record", sale);
  await write("/sp/reward-points/adjust", { ...ofReceipt, points: 5, adjustment_type: "credit" });
  const next = await write("/sp/sales/record", { ...ofReceipt, location_id, amount: 100 });
  await write("/sp/wallet/pay", { ...ofReceipt, location_id, amount: 300 });
  await write("/sp/sales/refund", { sale_id, location_id, reference_id: "receipt-3", amount: 1000 });

  const [ofSale, ofNext] = [
    { sale_id, sold_on: "2026-01-09" },
    { sale_id: next.sale_id, sold_on: "2026-01-10" },
  ];
  const none = { sale_id: null, sold_on: null };
  const expected = [
    { event_type: "sale_refund", amount: -1000, ...ofSale },
    { event_type: "wallet_payment", amount: 250, ...ofSale },
    { event_type: "wallet_payment", amount: -300, ...none },
    { event_type: "sale", amount: 100, ...ofNext },
    { event_type: "reward_points_adjustment", amount: 5, ...none },
    { event_type: "sale", amount: 4000, ...ofSale },
    { event_type: "wallet_payment", amount: -1000, ...ofSale },
    { event_type: "wallet_adjustment", amount: 5000, ...none },
  ];
  const event_types = [...new Set(expected.map(({ event_type }) => event_type))];
  const listed = await asOperator(world, "/op/transactions/list", { business_id, contact_id, event_types });
  expect(listed.body.data).toEqual(expected.map((entry) => expect.objectContaining(entry)));
  for (const path of ["/op/exports/transactions", "/op/members/export"]) {
    const { body } = await asOperator(world, path, {
      business_id,
      ...(path.includes("members") && { contact_id }),
    });
    const exported = body.data.transactions.filter((entry: typeof sale & { event_type: string }) =>
      event_types.includes(entry.event_type),
    );
    expect(exported.toReversed(), path).toEqual(expected.map((entry) => expect.objectContaining(entry)));
  }
});
