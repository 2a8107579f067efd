/** The example that records receipts as sales, against a running service. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { importTools } from "../support/imports.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";
import { type Run, runExample } from "./programs.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);
let shop: Sandbox;
let directory: string;
let contact_id: number;
const phone_number = "+34600777001";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-receipts-"));
  shop = await makeSandbox(world, "2026-01-10");
  contact_id = await world.member({ phone_number, first_name: "Noor" }, shop.credentials);
});
afterAll(() => rm(directory, { recursive: true }));

async function run(lines: readonly string[], ...words: string[]): Promise<Run> {
  const file = join(directory, "receipts.csv");
  await writeFile(file, `${["day,receipt,phone_number,amount,use_points,refund_of", ...lines].join("\n")}\n`);
  const args = [file, "--location", String(shop.locationId), ...words];
  return runExample("receipts/receipts.mjs", args, shop, world.baseUrl);
}

it("records each receipt once, with its points, and refunds by receipt", async () => {
  const lines = [
    `2026-01-10,R-1,${phone_number},4250,,`,
    `2026-01-10,R-2,${phone_number},1000,40,`,
    `2026-01-10,R-3,${phone_number},1062,,2026-01-10/R-1`,
    "2026-01-10,R-4,+34600777999,700,,",
  ];
  const first = await run(lines);
  expect(first.stdout).toContain("\n  42 points for 42.50 EUR\n");
  const receipts = first.stdout.split("\n").filter((line) => line.startsWith("R-"));
  expect(receipts.slice(0, 3)).toEqual([
    "R-1: Noor pays 4250 of 4250, earns 42 points, good through 2026-07-31.",
    "R-2: Noor pays 800 of 1000, earns 8 points, good through 2026-07-31.",
    "R-3: refunded 1062: give back 1062, took back 10 points, 1 owed.",
  ]);
  expect(first.stdout).toMatch(/^R-4: rejected\. .*member_not_found/m);
  expect(first).toMatchObject({ status: 1, stderr: "" });
  const before = await shop.ask("/sp/members/balances", { contact_id });
  const withoutIds = ({ stdout }: Run) => stdout.replace(/X-Request-Id: [^)]+/, "");
  expect(withoutIds(await run(lines))).toBe(withoutIds(first));
  expect(await shop.ask("/sp/members/balances", { contact_id })).toEqual(before);
  expect(await shop.ask("/sp/sales/list", { contact_id })).toHaveLength(2);
  await expectValidLedger({ businessId: shop.businessId } as never);
});

it("records the same receipt of the next day, and of another till", async () => {
  const count = async () => (await shop.ask("/sp/sales/list", { contact_id })).length;
  const line = (day: string) => [`${day},R-1,${phone_number},1000,,`];
  const before = await count();
  await run(line("2026-01-11"));
  await run(line("2026-01-11"), "--till", "2");
  expect(await count()).toBe(before + 2);
  await run(line("2026-01-11"));
  expect(await count()).toBe(before + 2);
});

it("says what is wrong with a file before it sends anything", async () => {
  expect(await run([`2026-01-10,R-9,${phone_number},9.50,,`])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("Line 2 of "),
  });
  expect(await shop.ask("/sp/sales/list", { reference_id: "R-9" })).toEqual([]);
});

it("explains itself", async () => {
  expect(await run([], "--help")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /) });
});
