/**
 * A week of three shops: a café, a fashion shop and a pharmacy. Their definitions, their receipts, and what the till's screen shows and
 * members have afterwards. The points, stamps and amounts were computed by hand.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { environmentOf, runProgram, type Shop } from "../examples/programs.ts";

/** When a shop is set up, on Monday, and when its receipts are recorded, on Sunday. A point is worth 0.05. */
export const opening = "2026-01-12 07:00:00";
const closing = "2026-01-18 20:00:00";

interface Member {
  readonly first_name: string;
  readonly phone_number: string;
  /** The name of the tier that it has, and the points with which it begins. */
  readonly tier?: string;
  readonly points?: number;
  readonly balances: object;
  readonly cards?: readonly object[];
}

export interface Week {
  readonly program: object;
  readonly tiers?: readonly object[];
  readonly promotions?: readonly object[];
  readonly vouchers?: readonly object[];
  /** Their vouchers have the name in "gives". */
  readonly cards?: readonly Readonly<{ gives: string; card: object }>[];
  readonly members: readonly Member[];
  readonly columns: string;
  readonly rows: readonly string[];
  readonly said: readonly string[];
}

const phone = (nth: number) => `+3460077800${nth}`;

/** A stamp card on coffee, double points on Tuesday afternoons, gift cards earn nothing. */
export const cafe: Week = {
  program: { excluded_categories: ["gift cards"] },
  promotions: [
    { name: "Double on Tuesdays", weekdays: [2], from_time: "14:00", until_time: "17:00", multiply: 200 },
  ],
  vouchers: [
    { campaign_name: "Free coffee", coupon_code: "FREE", kind: "item", categories: ["coffee"] },
    {
      ...{ campaign_name: "Flyer", coupon_code: "10 % off", kind: "percent", percent: 10 },
      ...{ public_code: "TEN-OFF", most_per_member: 1 },
    },
  ],
  cards: [
    {
      gives: "Free coffee",
      card: { name: "Coffee card", stamps_needed: 9, counts: "unit", categories: ["coffee"] },
    },
  ],
  members: [
    {
      ...{ first_name: "Ana", phone_number: phone(1) },
      balances: { points: 51, sales: 6480, vouchers: 0 },
      cards: [{ stamps: 0, stamps_owed: 3 }],
    },
  ],
  columns: "day,receipt,phone_number,amount,time,category,quantity,code,coupon,refund_of,line_no",
  rows: [
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
  ],
  said: [
    "1: Ana pays 3400 of 3400, earns 9 points.",
    "  9 points for 9.00 EUR",
    "  No points for 25.00 EUR",
    "  7 stamps left for Free coffee",
    "2: Ana pays 1350 of 1350, earns 26 points.",
    "  13 points for 13.50 EUR",
    "  13 more points: Double on Tuesdays",
    "  4 stamps left for Free coffee",
    "3: Ana pays 450 of 450, earns 4 points.",
    "  4 points for 4.50 EUR",
    "  3 stamps left for Free coffee",
    "4: Ana pays 1800 of 1800, earns 18 points.",
    "  18 points for 18.00 EUR",
    "  Card full: Free coffee",
    "5: Ana pays 380 of 830, earns 3 points.",
    "  3 points for 3.80 EUR",
    "  8 stamps left for Free coffee",
    "6: Ana pays 900 of 1000, earns 9 points.",
    "  9 points for 9.00 EUR",
    "  8 stamps left for Free coffee",
    "7: rejected",
    "8: refunded 1800: give back 1800, took back 18 points.",
    "7 receipts recorded, 1 rejected.",
  ],
};

/** Three times the points on the new collection for Gold, and returns by line. */
export const fashionShop: Week = {
  program: {},
  tiers: [{ name: "Gold", expiry: 1, expiry_period: "year" }],
  promotions: [{ name: "Gold first", categories: ["new collection"], multiply: 300 }],
  members: [
    {
      ...{ first_name: "Bea", phone_number: phone(2), tier: "Gold" },
      balances: { points: 15, sales: 1500 },
    },
    { first_name: "Cleo", phone_number: phone(3), balances: { points: 150, sales: 15_000 } },
  ],
  columns: "day,receipt,phone_number,amount,time,sku,category,quantity,refund_of,line_no",
  rows: [
    // 150.00 earn 150, and the dress twice its 120 besides.
    `2026-01-13,1,${phone(2)},12000,11:00,DRESS-7,New collection,1,,`,
    `2026-01-13,1,${phone(2)},3000,11:00,BELT-2,accessories,2,,`,
    `2026-01-13,2,${phone(3)},12000,11:05,DRESS-7,New collection,1,,`,
    `2026-01-13,2,${phone(3)},3000,11:05,BELT-2,accessories,2,,`,
    // The dress comes back, and later one of two belts: 15 points of 15.00 are left.
    `2026-01-16,3,${phone(2)},0,,,,,2026-01-13/1,1`,
    `2026-01-17,4,${phone(2)},0,,,,1,2026-01-13/1,2`,
  ],
  said: [
    "1: Bea pays 15000 of 15000, earns 390 points.",
    "  150 points for 150.00 EUR",
    "  240 more points: Gold first",
    "2: Cleo pays 15000 of 15000, earns 150 points.",
    "  150 points for 150.00 EUR",
    "3: refunded 12000: give back 12000, took back 360 points.",
    "4: refunded 1500: give back 1500, took back 15 points.",
    "4 receipts recorded, 0 rejected.",
  ],
};

/** Prescriptions earn nothing, and neither points nor vouchers pay them. */
export const pharmacy: Week = {
  program: {
    excluded_categories: ["prescriptions"],
    excluded_from_payment: ["prescriptions"],
    rates: [{ categories: ["cosmetics"], earn_points: 5, earn_amount: 100 }],
  },
  members: [
    {
      ...{ first_name: "Dan", phone_number: phone(4), points: 600 },
      balances: { points: 600 + 125 - 100 + 20, sales: 16_500 },
    },
  ],
  columns: "day,receipt,phone_number,amount,use_points,time,category,quantity",
  rows: [
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
  ],
  said: [
    "1: Dan pays 9500 of 9500, earns 125 points.",
    "  25 points for 25.00 EUR",
    "  100 points for 20.00 EUR",
    "  No points for 50.00 EUR",
    "2: at most 500",
    "3: Dan pays 7000 of 7500, earns 20 points.",
    "  20 points for 20.00 EUR",
    "  No points for 50.00 EUR",
    "2 receipts recorded, 1 rejected.",
  ],
};

/** Calls an operation as the operator, and fails the test when the response is an error. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
export type Operate = (path: string, body: object) => Promise<any>;

/** The shop with its till, and operations about it. */
export type OpenShop = Pick<Shop, "credentials"> &
  Readonly<{ baseUrl: string; locationId: number; read: Operate; write: Operate }>;

/** Records the receipts of a week on Sunday evening, and compares what the till showed and members have with the results by hand. */
export async function playWeek(shop: OpenShop, week: Week): Promise<void> {
  const { read, write } = shop;
  const tiers: readonly { name: string; tier_id: number }[] = await read("/op/tiers/list", {});
  const ids = new Map<Member, number>();
  for (const member of week.members) {
    const { first_name, phone_number, tier, points } = member;
    const person = { first_name, phone_number, last_name: "Gil" };
    const { contact_id } = await write("/op/members/create", person);
    ids.set(member, contact_id);
    const tier_id = tiers.find(({ name }) => name === tier)?.tier_id;
    if (tier !== undefined) await write("/op/members/assign-tier", { contact_id, tier_id });
    const start = { contact_id, points, adjustment_type: "credit", reason: "Start" };
    if (points !== undefined) await write("/op/members/adjust-points", start);
  }
  await write("/op/sandbox/clock/advance", { to: closing });
  expect(await recordReceipts(shop, week)).toEqual(week.said);
  for (const [{ balances, cards = [] }, contact_id] of ids) {
    expect(await read("/op/members/balances", { contact_id })).toMatchObject(balances);
    expect(await read("/op/stamp-cards/of-member", { contact_id })).toMatchObject(cards);
  }
  for (const part of ["accounts", "points", "entries", "entry_counts", "member_counts", "reports"]) {
    const verified = await read("/op/ledger/verify", { part, limit: 100_000 });
    expect(verified).toMatchObject({ mismatches: [], next: null });
  }
}

/** Plays the example that records receipts. @returns what the till's screen showed, without days and the words of rejections */
async function recordReceipts(shop: OpenShop, { columns, rows }: Week): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), "loyalty-shops-"));
  try {
    const file = join(directory, "receipts.csv");
    await writeFile(file, `${[columns, ...rows].join("\n")}\n`);
    const program = ["examples/receipts/receipts.mjs", file, "--location", String(shop.locationId)];
    const settings = environmentOf({ businessId: 0, ...shop }, shop.baseUrl);
    const { stdout, stderr } = await runProgram(process.execPath, program, settings);
    expect(stderr).toBe("");
    return stdout.trimEnd().split("\n").map(withoutDetails);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const withoutDetails = (line: string) =>
  line
    .replace(/, good through .*\.$/, ".")
    .replace(/rejected\. .*maximum_points":(\d+).*/, "at most $1")
    .replace(/rejected\. .*/, "rejected");
