/** Operators see why a promotion, stamp card or occasion that is active gives nothing. */
import { beforeAll, describe, expect, it } from "vitest";
import { occasionKinds } from "../../src/domain/engine/rules.ts";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
let shop: Sandbox;
let voucher_id: number;

const operate = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
/** @returns what `get` warns about, after `list` has said the same */
async function warningOf(kind: string, id: Body) {
  const read = async (which: string, body: Body) => {
    const { body: reply } = await asOperator(world, `/op/${kind}/${which}`, {
      business_id: shop.businessId,
      ...body,
    });
    return reply.data;
  };
  const { warning } = await read("get", id);
  const [[name, value] = []] = Object.entries(id);
  const listed = (await read("list", {})).find((one: Body) => one[name as string] === value);
  expect(listed.warning).toBe(warning);
  return warning as string | null;
}

beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-13 15:30:00");
  const made = { campaign_name: "Free coffee", coupon_code: "FREE-COFFEE", coupon_value: 300 };
  ({ voucher_id } = await operate("/op/vouchers/create", made));
});

describe.each([
  ["promotions", "promotion_id", {}],
  ["stamp-cards", "stamp_card_id", { stamps_needed: 9, counts: "visit" }],
  ["occasions", "occasion_id", { kind: "joined" }],
])("%s", (kind, id, more) => {
  it("warn while their voucher is archived, and active", async () => {
    const made = await operate(`/op/${kind}/create`, { name: `Coffee by ${kind}`, voucher_id, ...more });
    const named = { [id]: made[id] };
    expect(await warningOf(kind, named)).toBeNull();
    await operate("/op/vouchers/archive", { voucher_id, archived: true });
    expect(await warningOf(kind, named)).toBe("voucher_id must be a voucher that is not archived.");
    await operate(`/op/${kind}/pause`, named);
    expect(await warningOf(kind, named)).toBeNull();
    await operate("/op/vouchers/archive", { voucher_id, archived: false });
    await operate(`/op/${kind}/resume`, named);
    expect(await warningOf(kind, named)).toBeNull();
  });
});

it("warn when all of their locations are closed", async () => {
  const { location_id } = await operate("/op/locations/create", { name: "Kiosk" });
  const location_ids = [location_id];
  const { promotion_id } = await operate("/op/promotions/create", { name: "Kiosk", points: 5, location_ids });
  const card = { name: "Kiosk", stamps_needed: 9, counts: "visit", voucher_id, location_ids };
  const { stamp_card_id } = await operate("/op/stamp-cards/create", card);
  await operate("/op/locations/update", { location_id, closed: true });
  const closed = "location_ids must contain a location that is not closed.";
  expect(await warningOf("promotions", { promotion_id })).toBe(closed);
  expect(await warningOf("stamp-cards", { stamp_card_id })).toBe(closed);
  await operate("/op/locations/update", { location_id, closed: false });
  expect(await warningOf("promotions", { promotion_id })).toBeNull();
  expect(await warningOf("stamp-cards", { stamp_card_id })).toBeNull();
});

it("warn when one of their tiers is deleted, or their stamp card has ended", async () => {
  const { tier_id } = await operate("/op/tiers/create", { name: "Gold", expiry: 1, expiry_period: "year" });
  const { promotion_id } = await operate("/op/promotions/create", {
    ...{ name: "Gold", points: 5, tier_ids: [tier_id] },
  });
  await operate("/op/tiers/delete", { tier_id });
  expect(await warningOf("promotions", { promotion_id })).toMatch(
    /^tier_ids must not name one that is deleted/,
  );

  const card = { name: "Ended", stamps_needed: 9, counts: "visit", voucher_id };
  const { stamp_card_id } = await operate("/op/stamp-cards/create", card);
  const stamping = { name: "Stamps", stamp_card_id, stamps: 1 };
  const made = await operate("/op/promotions/create", stamping);
  await operate("/op/stamp-cards/end", { stamp_card_id });
  expect(await warningOf("promotions", { promotion_id: made.promotion_id })).toBe(
    "stamp_card_id must be a stamp card that has not ended.",
  );
});

it.each(occasionKinds)("warn when they give points while points are off, of the kind %s", async (kind) => {
  const inactive_days = kind === "inactive" ? 30 : null;
  const name = `Off ${kind}`;
  const { occasion_id } = await operate("/op/occasions/create", { name, kind, inactive_days, points: 5 });
  expect(await warningOf("occasions", { occasion_id })).toBeNull();
  await operate("/op/reward-settings/update", { enable_rp: false });
  expect(await warningOf("occasions", { occasion_id })).toBe(
    "points can't be given while points are off: switch them on first.",
  );
  await operate("/op/reward-settings/update", { enable_rp: true });
  expect(await warningOf("occasions", { occasion_id })).toBeNull();
});

it("warn when their last day is over", async () => {
  const last_day = "2026-01-14";
  const { promotion_id } = await operate("/op/promotions/create", { name: "Today", points: 5, last_day });
  const occasion = { name: "Inactive", kind: "inactive", inactive_days: 30, points: 5, last_day };
  const { occasion_id } = await operate("/op/occasions/create", occasion);
  expect(await warningOf("promotions", { promotion_id })).toBeNull();
  expect(await warningOf("occasions", { occasion_id })).toBeNull();
  await shop.advance("2026-01-15 09:00:00");
  const over = "last_day must not be before today, 2026-01-15.";
  expect(await warningOf("promotions", { promotion_id })).toBe(over);
  expect(await warningOf("occasions", { occasion_id })).toBe(over);
});
