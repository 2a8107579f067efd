/** V9: a preview of promotions on sales that were recorded without them says what the same promotions gave where they were active. */
import { beforeAll, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/random-cases.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
/** Thursday to Saturday. */
const days = ["2026-01-15", "2026-01-16", "2026-01-17"] as const;
const promotions: readonly Body[] = [
  { name: "Double coffee on Fridays", categories: ["coffee"], weekdays: [5], multiply: 200 },
  { name: "Half more", multiply: 150 },
  { name: "Two cakes", categories: ["CAKE "], minimum_quantity: 2, points: 3, per: "unit" },
  { name: "Large", minimum_amount: 3000, points: 20 },
  { name: "Welcome", member: "first_sale", points: 10 },
  { name: "Once a day", most_per_member_day: 1, points: 5 },
  { name: "Three times", most_per_member: 3, points: 2 },
  { name: "Alone", skus: ["BEANS"], exclusive: true, points: 90 },
  { name: "At night", from_time: "22:00", until_time: "06:00", points: 7 },
];

/** Records the same random sales in a business, of which some are refunded whole. @returns those that are not */
async function trade(shop: Sandbox): Promise<number[]> {
  const random = randomFrom(seed);
  const members = [await shop.member(), await shop.member(), await shop.member()];
  const { locationId: location_id } = shop;
  const left: number[] = [];
  for (const day of days) {
    if (day !== days[0]) await shop.advance(`${day} 10:00:00`);
    for (let nth = 0; nth < 10; nth += 1) {
      const lines = Array.from({ length: 1 + random.below(3) }, () => ({
        ...[{ category: "Coffee" }, { category: "cake" }, { category: "bags", sku: "Beans" }][
          random.below(3)
        ],
        ...{ quantity: 1 + random.below(3), amount: 10 + random.below(2500) },
      }));
      const amount = lines.reduce((sum, line) => sum + line.amount, 0);
      const contact_id = members[random.below(members.length)] as number;
      const { sale_id } = await shop.write("/sp/sales/record", { contact_id, location_id, amount, lines });
      if (random.chance(0.2)) await shop.write("/sp/sales/refund", { sale_id, location_id });
      else left.push(sale_id);
    }
  }
  return left;
}

/** Refunds parts of sales: of a line, and of the whole. */
async function refundParts(shop: Sandbox, sales: readonly number[]) {
  for (const [nth, sale_id] of sales.entries()) {
    const part = nth % 2 === 0 ? { amount: 9 } : { lines: [{ line_no: 1, quantity: 1 }] };
    await shop.write("/sp/sales/refund", { sale_id, location_id: shop.locationId, ...part });
  }
}

let [active, plain]: [Sandbox, Sandbox] = [] as never;
let [inActive, inPlain]: [number[], number[]] = [[], []];
const ids: number[] = [];
beforeAll(async () => {
  const clock = `${days[0]} 10:00:00`;
  [active, plain] = [await makeSandbox(world, clock), await makeSandbox(world, clock)];
  for (const { businessId: business_id, programId: program_id } of [active, plain])
    await operatorWrite(world, "/op/programs/update", {
      ...{ business_id, program_id, maximum_points_per_order: 100_000 },
    });
  for (const body of promotions) {
    const of = { business_id: active.businessId, ...body };
    ids.push((await operatorWrite(world, "/op/promotions/create", of)).promotion_id);
  }
  [inActive, inPlain] = [await trade(active), await trade(plain)];
});

const preview = async (shop: Sandbox, more: Body = {}) =>
  (await asOperator(world, "/op/rules/preview", { business_id: shop.businessId, from: days[0], ...more }))
    .body.data;

it("a preview of promotions gives what the same promotions gave", async () => {
  const { new_promotions: previewed } = await preview(plain, { new_promotions: promotions });
  const given: { name: string; sales: number; points: number; sales_without_lines: number }[] = [];
  for (const promotion_id of ids) {
    const asked = { business_id: active.businessId, promotion_id, from: days[0], through: days[2] };
    const { data } = (await asOperator(world, "/op/promotions/report", asked)).body;
    const { name, sales_reached: sales, points_kept: points } = data;
    given.push({ name, sales, points, sales_without_lines: 0 });
  }
  expect(previewed).toEqual(given);
  // Most of them gave something, so that there is something to compare.
  expect(given.filter(({ points }) => points > 0).length).toBeGreaterThan(5);
});

it("a preview gives in all what was given, also after refunds of parts", async () => {
  const compare = async () => {
    const recorded = (await preview(active)).recorded_points;
    expect((await preview(plain, { new_promotions: promotions })).proposed.points).toBe(recorded);
    expect((await preview(active)).current.points).toBe(recorded);
    return recorded as number;
  };
  const before = await compare();
  await refundParts(active, inActive);
  await refundParts(plain, inPlain);
  expect(await compare()).toBeLessThan(before);
});
