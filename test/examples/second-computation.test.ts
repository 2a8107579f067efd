/** The second computation of examples/, against the service: made-up purchases on the clock of a sandbox. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
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
