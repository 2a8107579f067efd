/**
 * A week of three shops, played by the example that records receipts: a café, a fashion shop and a pharmacy. The points, stamps and
 * amounts were computed by hand.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools } from "../support/imports.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";
import { runExample } from "./programs.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-shops-"));
});
afterAll(() => rm(directory, { recursive: true }));

/** A shop that is set up on Monday morning. A point is worth 0.05. */
async function openShop(program: Body) {
  const shop = await makeSandbox(world, "2026-01-12 07:00:00");
  const operator = (path: string, body: Body) =>
    operatorWrite(world, path, { business_id: shop.businessId, ...body });
  await operator("/op/programs/update", {
    program_id: shop.programId,
    maximum_points_per_order: 1000,
    ...program,
  });
  return { shop, operator };
}

const phone = (nth: number) => `+3460077800${nth}`;
const newMember = (shop: Sandbox, nth: number, first_name: string) =>
  world.member({ phone_number: phone(nth), first_name }, shop.credentials);

/** Plays the receipts of the week on Sunday evening. @returns what the till's screen showed */
async function play(shop: Sandbox, columns: string, rows: readonly string[]): Promise<string[]> {
  await shop.advance("2026-01-18 20:00:00");
  const file = join(directory, "receipts.csv");
  await writeFile(file, `${[columns, ...rows].join("\n")}\n`);
  const args = [file, "--location", String(shop.locationId)];
  const { stdout, stderr } = await runExample("receipts/receipts.mjs", args, shop, world.baseUrl);
  expect(stderr).toBe("");
  await expectValidLedger({ businessId: shop.businessId } as never);
  return stdout.trimEnd().split("\n");
}
const balancesOf = (shop: Sandbox, contact_id: number) => shop.ask("/sp/members/balances", { contact_id });

it("a café: a stamp card on coffee, double points on Tuesday afternoons, gift cards earn nothing", async () => {
  const { shop, operator } = await openShop({ excluded_categories: ["gift cards"] });
  const days = { weekdays: [2], from_time: "14:00", until_time: "17:00" };
  await operator("/op/promotions/create", { name: "Double on Tuesdays", ...days, multiply: 200 });
  const free = { campaign_name: "Free coffee", coupon_code: "FREE", kind: "item", categories: ["coffee"] };
  const { voucher_id } = await operator("/op/vouchers/create", free);
  const card = { name: "Coffee card", stamps_needed: 9, voucher_id, counts: "unit", categories: ["coffee"] };
  const { stamp_card_id } = await operator("/op/stamp-cards/create", card);
  await operator("/op/vouchers/create", {
    ...{ campaign_name: "Flyer", coupon_code: "10 % off", kind: "percent", percent: 10 },
    ...{ public_code: "TEN-OFF", most_per_member: 1 },
  });
  const contact_id = await newMember(shop, 1, "Ana");
  const columns = "day,receipt,phone_number,amount,time,category,quantity,code,coupon,refund_of,line_no";
  const said = await play(shop, columns, [
    // 9.00 of coffee earn 9, the gift card nothing; 2 stamps.
    `2026-01-12,1,${phone(1)},900,09:00,coffee,2,,,,`,
    `2026-01-12,1,${phone(1)},2500,09:00,gift cards,1,,,,`,
    // 13.50 earn 13, twice; 5 stamps.
    `2026-01-13,2,${phone(1)},1350,15:00,coffee,3,,,,`,
    // At five, the afternoon is over: 4; 6 stamps.
    `2026-01-13,3,${phone(1)},450,17:00,coffee,1,,,,`,
    // 18; the ninth stamp fills the card, and the tenth begins the next one.
    `2026-01-14,4,${phone(1)},1800,10:00,coffee,4,,,,`,
    // The free coffee pays 4.50: 3.80 earn 3, and it gives no stamp.
    `2026-01-15,5,${phone(1)},450,08:00,coffee,1,,FREE,,`,
    `2026-01-15,5,${phone(1)},380,08:00,cake,1,,FREE,,`,
    // A tenth of 10.00 is 1.00: 9.
    `2026-01-16,6,${phone(1)},1000,12:00,cake,2,ten off,,,`,
    // Twice is too often.
    `2026-01-16,7,${phone(1)},1000,12:00,cake,2,ten off,,,`,
    // The four coffees come back: 18 points, and four stamps of one; the voucher of the card that they filled was used.
    `2026-01-17,8,${phone(1)},0,,,4,,,2026-01-14/4,1`,
  ]);
  expect(
    said.map((line) => line.replace(/, good through .*\.$/, ".").replace(/rejected\. .*/, "rejected")),
  ).toEqual([
    "1: Ana pays 3400 of 3400, earns 9 points.",
    "  7 stamps left for Free coffee",
    "2: Ana pays 1350 of 1350, earns 26 points.",
    "  13 more points: Double on Tuesdays",
    "  4 stamps left for Free coffee",
    "3: Ana pays 450 of 450, earns 4 points.",
    "  3 stamps left for Free coffee",
    "4: Ana pays 1800 of 1800, earns 18 points.",
    "  Card full: Free coffee",
    "5: Ana pays 380 of 830, earns 3 points.",
    "  8 stamps left for Free coffee",
    "6: Ana pays 900 of 1000, earns 9 points.",
    "  8 stamps left for Free coffee",
    "7: rejected",
    "8: refunded 1800: give back 1800, took back 18 points.",
    "7 receipts recorded, 1 rejected.",
  ]);
  expect(await balancesOf(shop, contact_id)).toMatchObject({ points: 51, sales: 6480, vouchers: 0 });
  const [own] = await shop.ask("/sp/stamp-cards/list", { contact_id });
  expect(own).toMatchObject({ stamp_card_id, stamps: 0, stamps_owed: 3 });
});

it("a fashion shop: three times the points on the new collection for Gold, and returns by line", async () => {
  const { shop, operator } = await openShop({});
  const { tier_id } = await operator("/op/tiers/create", { name: "Gold", expiry: 1, expiry_period: "year" });
  const promotion = {
    name: "Gold first",
    tier_ids: [tier_id],
    categories: ["new collection"],
    multiply: 300,
  };
  await operator("/op/promotions/create", promotion);
  const [gold, other] = [await newMember(shop, 2, "Bea"), await newMember(shop, 3, "Cleo")];
  await operator("/op/members/assign-tier", { contact_id: gold, tier_id });
  const columns = "day,receipt,phone_number,amount,time,sku,category,quantity,refund_of,line_no";
  const said = await play(shop, columns, [
    // 150.00 earn 150, and the dress twice its 120 besides.
    `2026-01-13,1,${phone(2)},12000,11:00,DRESS-7,New collection,1,,`,
    `2026-01-13,1,${phone(2)},3000,11:00,BELT-2,accessories,2,,`,
    `2026-01-13,2,${phone(3)},12000,11:05,DRESS-7,New collection,1,,`,
    `2026-01-13,2,${phone(3)},3000,11:05,BELT-2,accessories,2,,`,
    // The dress comes back, and later one of two belts: 15 points of 15.00 are left.
    `2026-01-16,3,${phone(2)},0,,,,,2026-01-13/1,1`,
    `2026-01-17,4,${phone(2)},0,,,,1,2026-01-13/1,2`,
  ]);
  expect(said.map((line) => line.replace(/, good through .*\.$/, "."))).toEqual([
    "1: Bea pays 15000 of 15000, earns 390 points.",
    "  240 more points: Gold first",
    "2: Cleo pays 15000 of 15000, earns 150 points.",
    "3: refunded 12000: give back 12000, took back 360 points.",
    "4: refunded 1500: give back 1500, took back 15 points.",
    "4 receipts recorded, 0 rejected.",
  ]);
  expect(await balancesOf(shop, gold)).toMatchObject({ points: 15, sales: 1500 });
  expect(await balancesOf(shop, other)).toMatchObject({ points: 150, sales: 15_000 });
});

it("a pharmacy: prescriptions earn nothing, and neither points nor vouchers pay them", async () => {
  const { shop, operator } = await openShop({
    excluded_categories: ["prescriptions"],
    excluded_from_payment: ["prescriptions"],
    rates: [{ categories: ["cosmetics"], earn_points: 5, earn_amount: 100 }],
  });
  const contact_id = await newMember(shop, 4, "Dan");
  await operator("/op/members/adjust-points", {
    contact_id,
    points: 600,
    adjustment_type: "credit",
    reason: "Start",
  });
  const columns = "day,receipt,phone_number,amount,use_points,time,category,quantity";
  const said = await play(shop, columns, [
    // 25.00 of sun cream earn 25, 20.00 of cosmetics five for each 1.00.
    `2026-01-14,1,${phone(4)},5000,,10:00,Prescriptions,1`,
    `2026-01-14,1,${phone(4)},2500,,10:00,sun cream,1`,
    `2026-01-14,1,${phone(4)},2000,,10:00,cosmetics,1`,
    // 600 points are 30.00, and only 25.00 can be paid with points.
    `2026-01-15,2,${phone(4)},5000,600,10:00,prescriptions,1`,
    `2026-01-15,2,${phone(4)},2500,600,10:00,sun cream,1`,
    // 100 points pay 5.00: 20.00 earn 20.
    `2026-01-15,3,${phone(4)},5000,100,10:00,prescriptions,1`,
    `2026-01-15,3,${phone(4)},2500,100,10:00,sun cream,1`,
  ]);
  expect(
    said.map((line) =>
      line.replace(/, good through .*\.$/, ".").replace(/rejected\. .*maximum_points":(\d+).*/, "at most $1"),
    ),
  ).toEqual([
    "1: Dan pays 9500 of 9500, earns 125 points.",
    "2: at most 500",
    "3: Dan pays 7000 of 7500, earns 20 points.",
    "2 receipts recorded, 1 rejected.",
  ]);
  expect(await balancesOf(shop, contact_id)).toMatchObject({ points: 600 + 125 - 100 + 20, sales: 16_500 });
});
