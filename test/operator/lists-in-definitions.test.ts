/** Lists of words and of numbers in promotions, stamp cards, programs and vouchers; changes of what is over or archived. */
import { beforeAll, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
let shop: Sandbox;
beforeAll(async () => {
  shop = await makeSandbox(world, "2026-01-13 18:30:00");
});

const operator = (path: string, body: Body) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
let keys = 0;
const rejectionOf = async (path: string, body: Body) => {
  keys += 1;
  const sent = { business_id: shop.businessId, idempotency_key: `rejected-${keys}`, ...body };
  return (await asOperator(world, path, sent)).body.error;
};
const voucher = { campaign_name: "Free coffee", coupon_code: "FREE", coupon_value: 300 };

it("a word that a list has twice is rejected, without regard to case and blanks at its ends", async () => {
  const { voucher_id } = await operator("/op/vouchers/create", voucher);
  const words = ["Coffee", "tea", " COFFEE "];
  const rates = [{ skus: words, earn_points: 1, earn_amount: 100 }];
  for (const [path, body, field] of [
    ["/op/promotions/create", { name: "Double", points: 5, skus: words }, "skus"],
    ["/op/promotions/create", { name: "Double", points: 5, categories: words }, "categories"],
    [
      "/op/stamp-cards/create",
      { name: "Card", stamps_needed: 10, voucher_id, counts: "unit", categories: words },
      "categories",
    ],
    [
      "/op/programs/update",
      { program_id: shop.programId, excluded_categories: words },
      "excluded_categories",
    ],
    ["/op/programs/update", { program_id: shop.programId, excluded_skus: words }, "excluded_skus"],
    [
      "/op/programs/update",
      { program_id: shop.programId, excluded_from_payment: words },
      "excluded_from_payment",
    ],
    ["/op/programs/update", { program_id: shop.programId, rates }, "rates.0.skus"],
    ["/op/vouchers/create", { ...voucher, coupon_value: 0, kind: "item", categories: words }, "categories"],
    [
      "/op/rules/preview",
      { from: "2026-01-01", new_promotions: [{ name: "Double", points: 5, skus: words }] },
      "new_promotions.0.skus",
    ],
  ] as const) {
    const message = `${field} must not contain "COFFEE" twice: case and outer blanks don't matter.`;
    expect(await rejectionOf(path, body)).toMatchObject({
      code: "validation_failed",
      details: { errors: [{ field, code: "not_allowed_value", message }] },
    });
  }
});

it("the numbers of a list that don't exist are named", async () => {
  const { tier_id } = await operator("/op/tiers/create", {
    ...{ name: "Gold", expiry: 1, expiry_period: "year" },
  });
  const promotion = { name: "For some", points: 5, tier_ids: [88_888, tier_id, 99_999] };
  expect(await rejectionOf("/op/promotions/create", promotion)).toMatchObject({
    ...{ code: "tier_not_found", details: { tier_ids: [88_888, 99_999] } },
  });
  const location_ids = [88_888, shop.locationId];
  expect(await rejectionOf("/op/promotions/create", { name: "Here", points: 5, location_ids })).toMatchObject(
    {
      ...{ code: "location_not_found", details: { location_ids: [88_888] } },
    },
  );
  const tiers = [{ tier_id }, { tier_id: 99_999 }].map((one) => ({ ...one, qualifying_sales: 500 }));
  expect(await rejectionOf("/op/rules/preview", { from: "2026-01-01", tiers })).toMatchObject({
    ...{ code: "tier_not_found", details: { tier_ids: [99_999] } },
  });
  const programs = [shop.programId, 99_999].map((program_id) => ({ program_id, earn_points: 2 }));
  expect(await rejectionOf("/op/rules/preview", { from: "2026-01-01", programs })).toMatchObject({
    ...{ code: "program_not_found", details: { program_ids: [99_999] } },
  });
});

it("an archived voucher gets no codes", async () => {
  const { voucher_id } = await operator("/op/vouchers/create", { ...voucher, coupon_code: "OLD" });
  await operator("/op/vouchers/archive", { voucher_id });
  expect(await rejectionOf("/op/vouchers/create-codes", { voucher_id, count: 3 })).toMatchObject({
    code: "voucher_archived",
  });
});

it("a promotion can be renamed in its last evening and after its last day, and not get days that are over", async () => {
  const days = { last_day: "2026-01-13", from_time: "18:00", until_time: "19:00" };
  const { promotion_id } = await operator("/op/promotions/create", { name: "Happy", points: 5, ...days });
  const rename = async (name: string) =>
    (await operator("/op/promotions/update", { promotion_id, name, points: 6 })).name;
  const tooLate = async (body: Body) =>
    (await rejectionOf("/op/promotions/update", { promotion_id, ...body })).details.errors[0].message;
  await shop.advance("2026-01-13 21:00:00");
  expect(await rename("Happy hour")).toBe("Happy hour");
  expect(await tooLate({ until_time: "20:30" })).toBe(
    "until_time must be after 21:00, the time now, because last_day is today.",
  );
  await shop.advance("2026-01-15 09:00:00");
  expect(await rename("Happy hours")).toBe("Happy hours");
  expect(await tooLate({ last_day: "2026-01-14" })).toBe("last_day must not be before today, 2026-01-15.");
});
