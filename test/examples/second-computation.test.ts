/** The second computation of examples/, against the service: made-up purchases on the clock of a sandbox. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { randomFrom } from "../support/random.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { testOperatorKey, useWorld } from "../support/world.ts";

const world = useWorld();
const play = join(import.meta.dirname, "../../examples/second-computation/play.mjs");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "loyalty-purchases-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Purchases of a year and a half in the format of the CDNOW sample; the same in each run. */
function purchases(customers: number): string {
  let seed = 42;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const lines: string[] = [];
  for (let customer = 1; customer <= customers; customer++) {
    const count = 1 + Math.floor(9 * random() ** 2);
    const days = Array.from({ length: count }, () => Math.floor(540 * random())).sort(
      (one, other) => one - other,
    );
    for (const day of days) {
      const date = new Date(Date.UTC(1997, 0, 1 + day)).toISOString().slice(0, 10).replaceAll("-", "");
      const dollars = random() < 0.03 ? "0.00" : (250 * random() ** 2).toFixed(2);
      lines.push(
        ` ${String(customer).padStart(5, "0")} ${String(customer).padStart(4, "0")} ${date}  1 ${dollars}`,
      );
    }
  }
  return `${lines.join("\r\n")}\r\n`;
}

async function run(customers: number, ...options: string[]): Promise<string> {
  const file = join(folder, `${customers}.txt`);
  await writeFile(file, purchases(customers));
  const env = { ...process.env, LOYALTY_URL: world.baseUrl, LOYALTY_OPERATOR_KEY: testOperatorKey };
  // A run that finds differences prints them and fails.
  const ended = promisify(execFile)(process.execPath, [play, file, ...options], { env });
  return (await ended.catch((error: { readonly stdout: string }) => error)).stdout;
}

it("finds the same points for every member, with redemptions and expiry", async () => {
  const stdout = await run(20, "--settle-on", "1998-01-01", "--settle-on", "1999-07-01");
  expect(stdout).toContain("No differences.");
  const [, first, last] = stdout.split("\n").map((line) => line.trim().split(/\s+/));
  expect(Number(first?.[4])).toBeGreaterThan(0);
  expect(Number(first?.[5])).toBeGreaterThan(0);
  expect(last?.at(-1)).toBe("0");
});

it("finds the same vouchers and tiers for every member", async () => {
  const stdout = await run(40, "--vouchers", "--settle-on", "1998-01-01", "--settle-on", "1999-07-01");
  expect(stdout).toContain("No differences.");
  expect(stdout).toMatch(/^Tiers reached: [1-9]\d* Silver, [1-9]\d* Gold\.$/m);
  const [, first, last] = stdout.split("\n").map((line) => line.trim().split(/\s+/).slice(2).map(Number));
  expect(first?.every((cents) => cents > 0)).toBe(true);
  expect(last?.[0]).toBe(0);
});

it("finds that purchases which were refunded in parts leave nothing", async () => {
  expect(await run(20, "--refunds")).toMatch(
    /^[1-9]\d* purchases refunded in two parts.*\nNo differences\.\n$/,
  );
});

/** Sells at random for a week, with and without lines. */
async function playWeek(shop: Sandbox): Promise<void> {
  const members = await Promise.all([shop.member(), shop.member(), shop.member()]);
  const random = randomFrom(7);
  const below = (limit: number) => random.below(limit);
  const chance = (part: number) => random.chance(part);
  const categories = ["tea", "cake", "coffee", "Tea "];
  for (let day = 12; day < 19; day++) {
    await shop.advance(`2026-01-${day} 23:30:00`);
    for (let nth = 0; nth < 15; nth++) {
      const lines = Array.from({ length: 1 + below(4) }, () => ({
        ...(chance(0.3) && { sku: "CUP" }),
        ...{ category: categories[below(4)], quantity: 1 + below(3), amount: 50 + below(900) },
      }));
      const amount = lines.reduce((sum, line) => sum + line.amount, 0);
      const sold_at = `${String(below(24)).padStart(2, "0")}:15`;
      const sale = { contact_id: members[below(3)] as number, location_id: shop.locationId, amount, sold_at };
      await shop.write("/sp/sales/record", { ...sale, ...(chance(0.8) && { lines }) });
    }
  }
}

/** Runs a program on exported sales and a list. @returns what it said */
async function compareExported(program: string, rows: readonly object[], list: object): Promise<string> {
  const [sales, listed] = [join(folder, "sales.ndjson"), join(folder, "list.json")];
  await writeFile(sales, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  await writeFile(listed, JSON.stringify(list));
  const ended = promisify(execFile)(process.execPath, [play.replace("play.mjs", program), sales, listed]);
  return (await ended.catch((error: { readonly stdout: string }) => error)).stdout;
}

it("finds the same points for sales with lines and promotions, from exported files alone", async () => {
  const shop = await makeSandbox(world, "2026-01-12 08:00:00");
  const business_id = shop.businessId;
  const promotions = [
    { name: "Tuesdays", weekdays: [2], from_time: "14:00", until_time: "17:00", multiply: 200 },
    { name: "Triple tea", categories: ["tea"], multiply: 300, minimum_amount: 500 },
    { name: "Cups", skus: ["CUP"], points: 2, per: "unit", minimum_quantity: 2 },
    { name: "Nights", from_time: "22:00", until_time: "02:00", points: 9 },
    { name: "Alone", categories: ["cake"], multiply: 400, exclusive: true },
    { name: "Once a day", points: 1, most_per_member_day: 1 },
  ];
  for (const one of promotions) await operatorWrite(world, "/op/promotions/create", { business_id, ...one });
  const rates = [
    { categories: ["TEA"], earn_points: 3, earn_amount: 70 },
    { skus: ["cup"], earn_points: 4, earn_per: "unit" },
  ];
  const { programId: program_id } = shop;
  await operatorWrite(world, "/op/programs/update", { business_id, program_id, rates });
  await playWeek(shop);
  const read = async (path: string) => (await asOperator(world, path, { business_id, per_page: 100 })).body;
  const exported = await asOperator(world, "/op/exports/sales", { business_id });
  const rows = exported.body.data.sales as { points_earned: number }[];
  const promoted = await read("/op/promotions/list");
  expect(await compareExported("promotions.mjs", rows, promoted)).toMatch(
    /^105 sales, \d\d+ with promotions: no differences\.\n$/,
  );
  // It would find one.
  (rows[0] as { points_earned: number }).points_earned += 1;
  expect(await compareExported("promotions.mjs", rows, promoted)).toContain("1 differences.");
});

it("finds the same stamps and vouchers of full cards, from exported files alone", async () => {
  const shop = await makeSandbox(world, "2026-01-12 08:00:00");
  const business_id = shop.businessId;
  const coffee = { business_id, campaign_name: "Coffee", coupon_code: "TENTH", coupon_value: 300 };
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", coffee);
  const cards = [
    { name: "Tea", counts: "unit", categories: ["TEA"], stamps_needed: 5 },
    { name: "Cups", counts: "unit", skus: ["cup"], stamps_needed: 2, minimum_amount: 300 },
    { name: "Visits", counts: "visit", most_per_day: 2, stamps_needed: 3, minimum_amount: 400 },
    { name: "All goods", counts: "unit", stamps_needed: 9 },
  ];
  for (const one of cards)
    await operatorWrite(world, "/op/stamp-cards/create", { business_id, voucher_id, ...one });
  await playWeek(shop);
  const exported = await asOperator(world, "/op/exports/sales", { business_id });
  const list = (await asOperator(world, "/op/stamp-cards/list", { business_id, per_page: 100 })).body;
  const rows = exported.body.data.sales as { stamp_cards_given: { completed: number }[] }[];
  expect(await compareExported("stamps.mjs", rows, list)).toMatch(
    /^105 sales, \d\d+ with stamps: no differences\.\n$/,
  );
  const full = rows.flatMap((row) => row.stamp_cards_given).find(({ completed }) => completed > 0);
  (full as { completed: number }).completed += 1;
  expect(await compareExported("stamps.mjs", rows, list)).toContain("1 differences.");
});
