/** A week of three shops that are set up by the operator API, played by the example that records receipts. */
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { cafe, fashionShop, opening, pharmacy, playWeek, type Week } from "../support/shops.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

it.each([
  ["café", cafe],
  ["fashion shop", fashionShop],
  ["pharmacy", pharmacy],
])("a %s", async (_name, week: Week) => {
  const shop = await makeSandbox(world, opening);
  const of = (body: object) => ({ business_id: shop.businessId, ...body }) as Body;
  const write = (path: string, body: object) => operatorWrite(world, path, of(body));
  const read = async (path: string, body: object) => {
    const { body: response } = await asOperator(world, path, of(body));
    expect(response).toMatchObject({ success: true });
    return response.data;
  };
  const usual = { program_id: shop.programId, maximum_points_per_order: 1000 };
  await write("/op/programs/update", { ...usual, ...week.program });
  const tier_ids: number[] = [];
  for (const tier of week.tiers ?? []) tier_ids.push((await write("/op/tiers/create", tier)).tier_id);
  for (const one of week.promotions ?? []) await write("/op/promotions/create", { ...one, tier_ids });
  for (const voucher of week.vouchers ?? []) await write("/op/vouchers/create", voucher);
  const vouchers: { campaign_name: string; voucher_id: number }[] = await read("/op/vouchers/list", {});
  for (const { gives, card } of week.cards ?? []) {
    const voucher_id = vouchers.find(({ campaign_name }) => campaign_name === gives)?.voucher_id;
    await write("/op/stamp-cards/create", { ...card, voucher_id });
  }
  const { credentials, locationId } = shop;
  await playWeek({ credentials, locationId, read, write, baseUrl: world.baseUrl }, week);
});
