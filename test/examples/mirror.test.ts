/** The mirror: its copy equals the ledger, though it and the service are killed, and events were lost, repeated or deleted. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { useInstallation } from "../support/installation.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { testOperatorKey, useWorld } from "../support/world.ts";
import { environmentOf, finished, runExample, startProgram, useFolder } from "./programs.ts";

const world = useWorld();
const installation = useInstallation();
useFolder();
const mirror = join(import.meta.dirname, "../../examples/mirror/mirror.mjs");
const secret = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;

const running = new Set<ChildProcess>();
const folders: string[] = [];
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "loyalty-mirror-"));
  folders.push(folder);
  return join(folder, "mirror.jsonl");
}

/** A sandbox with vouchers that lapse, and points that expire. */
async function makeShop() {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { businessId: business_id } = shop;
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
    ...{ business_id, campaign_name: "Coffee", coupon_code: "COFFEE", coupon_value: 400 },
    ...{ validity: 1, validity_period: "week", points_price: 5 },
  });
  await shop.rules({
    points_validity: 2,
    points_validity_period: "week",
    points_expiry_rounding: "day",
    pending_days: 2,
  });
  await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
  return { ...shop, voucherId: voucher_id as number };
}
type Shop = Awaited<ReturnType<typeof makeShop>>;

/** A part of a day: sales, points, wallet, vouchers, a merge, an erasure, and what expires. Some requests are rejected. */
async function live(shop: Shop, round: number): Promise<void> {
  const { locationId: location_id, voucherId: voucher_id, businessId: business_id } = shop;
  const members = await Promise.all(Array.from({ length: 6 }, () => shop.member()));
  const send = async (path: string, body: object) =>
    (await world.write(path, body, shop.credentials)).body.data ?? {};
  await Promise.all(
    members.map(async (contact_id, index) => {
      const at = { contact_id, location_id };
      const { sale_id } = await send("/sp/sales/record", { ...at, amount: 1000 * (index + 1) });
      await send("/sp/wallet/topup", { ...at, amount: 700 });
      const { held_voucher_id } = await send("/sp/vouchers/issue", { contact_id, voucher_id });
      await send("/sp/reward-points/adjust", { contact_id, points: 30, adjustment_type: "credit" });
      await send("/sp/sales/record", {
        ...at,
        amount: 2000,
        use_wallet: 300,
        use_points: 5,
        use_vouchers: [held_voucher_id],
      });
      await send("/sp/reward-points/redeem", { contact_id, voucher_id });
      if (index % 2) await send("/sp/sales/refund", { sale_id, location_id, amount: 500 });
    }),
  );
  await send("/sp/members/merge", { from_contact_id: members[0], contact_id: members[1] });
  await operatorWrite(world, "/op/members/erase", { business_id, contact_id: members[2], reason: "Asked" });
  await operatorWrite(world, "/op/members/deactivate", { business_id, contact_id: members[3] });
  const day = new Date(Date.parse("2026-01-10") + (round + 1) * 4 * 86_400_000);
  await shop.advance(day.toISOString().slice(0, 10));
}

async function ledgerOf({ businessId }: Sandbox): Promise<string[]> {
  const rows = await world.sql<{ line: string }[]>`
    SELECT concat_ws(',', contact_id, sum(balance) FILTER (WHERE account = 'wallet'), sum(balance) FILTER (WHERE account = 'points'),
      sum(balance) FILTER (WHERE account = 'vouchers'), sum(balance) FILTER (WHERE account = 'sales')) AS line
    FROM account WHERE business_id = ${businessId} AND EXISTS (
      SELECT FROM ledger_entry e WHERE e.business_id = account.business_id AND e.contact_id = account.contact_id
    ) GROUP BY contact_id ORDER BY contact_id`;
  return rows.map(({ line }) => line);
}

/** The copy, without members that never had an entry. */
async function copyIn(file: string): Promise<string[]> {
  const { status, stdout } = await runExample("mirror/mirror.mjs", ["--file", file, "--print"]);
  expect(status).toBe(0);
  return stdout
    .trim()
    .split("\n")
    .slice(1)
    .filter((line) => !line.endsWith(",0,0,0,0"));
}

const readOnce = async (shop: Shop, file: string) => {
  const run = await runExample("mirror/mirror.mjs", ["--file", file, "--once"], shop, world.baseUrl);
  expect(run.status, run.stderr).toBe(0);
  return run;
};

async function expectEqual(shop: Shop, file: string): Promise<void> {
  const ledger = (await ledgerOf(shop)).filter((line) => !line.endsWith(",0,0,0,0"));
  expect(ledger.length).toBeGreaterThan(3);
  expect(await copyIn(file)).toEqual(ledger);
}

it("begins with what is there, follows the events, and begins again when events were deleted", {
  timeout: 120_000,
}, async () => {
  const shop = await makeShop();
  const file = await newFile();
  await live(shop, 0);
  expect((await readOnce(shop, file)).stderr).toContain("Read the balances of 6 members.");
  await expectEqual(shop, file);
  await live(shop, 1);
  expect((await readOnce(shop, file)).stderr).toBe("");
  await expectEqual(shop, file);
  await live(shop, 2);
  await world.sql`DELETE FROM event WHERE business_id = ${shop.businessId}`;
  await live(shop, 3);
  expect((await readOnce(shop, file)).stderr).toContain("All balances are read anew.");
  await expectEqual(shop, file);
});

/** Starts the mirror, and waits until its copy is complete. */
async function startMirror(
  shop: Shop,
  file: string,
  port: number,
): Promise<{ child: ChildProcess; port: number }> {
  const words = [mirror, "--file", file, "--port", String(port), "--poll", "1"];
  const child = startProgram(process.execPath, words, {
    ...environmentOf(shop, world.baseUrl),
    WEBHOOK_SECRET: `${secret},${secret}`,
  });
  running.add(child);
  let said = "";
  child.stderr?.on("data", (text) => {
    said += String(text);
  });
  await expect.poll(() => said, { timeout: 30_000 }).toMatch(/The copy is complete/);
  return { child, port: Number(/127\.0\.0\.1:(\d+)/.exec(said)?.[1]) };
}

/** Forwards events to the mirror, each as a signed webhook. */
async function forward(shop: Shop, port: number): Promise<void> {
  const words = [
    "webhook",
    "listen",
    "--forward-to",
    `http://127.0.0.1:${port}`,
    "--business",
    String(shop.businessId),
  ];
  const child = spawn(process.execPath, [join(installation.directory, "dist/cli/main.js"), ...words], {
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      LOYALTY_URL: world.baseUrl,
      LOYALTY_OPERATOR_KEY: testOperatorKey,
      LOYALTY_WEBHOOK_SECRET: secret,
    },
  });
  running.add(child);
  let said = "";
  child.stderr.on("data", (text) => {
    said += String(text);
  });
  await expect.poll(() => said, { timeout: 30_000 }).toContain("Signing secret");
}

it("equals the ledger after days with webhooks, in which it is killed again and again", {
  timeout: 180_000,
}, async () => {
  const shop = await makeShop();
  const file = await newFile();
  let { child, port } = await startMirror(shop, file, 0);
  await forward(shop, port);
  for (let round = 0; round < 4; round += 1) {
    const living = live(shop, round);
    for (let kill = 0; kill < 2; kill += 1) {
      await new Promise((resolve) => setTimeout(resolve, 150 + 200 * kill));
      child.kill("SIGKILL");
      await once(child, "close");
      running.delete(child);
      ({ child } = await startMirror(shop, file, port));
    }
    await living;
  }
  const [head] = await world.sql<{ last: number }[]>`
    SELECT last_event_no AS last FROM event_head WHERE business_id = ${shop.businessId}`;
  const state = async () => (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as { next: number };
  await expect.poll(async () => (await state()).next, { timeout: 60_000 }).toBe(head?.last);
  const [wallet] = await ledgerOf(shop);
  const [contactId, money] = (wallet as string).split(",");
  const shown = await fetch(`http://127.0.0.1:${port}/balances/${contactId}`);
  expect(await shown.json()).toMatchObject({ wallet: Number(money) });
  const ended = finished(child);
  child.kill("SIGTERM");
  expect((await ended).status).toBe(0);
  running.delete(child);
  await expectEqual(shop, file);
});

it("rejects what is no webhook, and settings that can't work", async () => {
  const shop = await makeShop();
  const file = await newFile();
  const { port } = await startMirror(shop, file, 0);
  const sent = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
  expect(sent.status).toBe(400);
  const forged = {
    "webhook-id": "evt_1_1",
    "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
    "webhook-signature": "v1,AAAA",
  };
  const second = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}", headers: forged });
  expect(await second.json()).toEqual({ error: expect.stringContaining("No signature matches") });
  const large = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "x".repeat(70_000) });
  expect(large.status).toBe(400);
  expect(await runExample("mirror/mirror.mjs", ["--port", "x"])).toMatchObject({ status: 2 });
  expect(await runExample("mirror/mirror.mjs", [], shop, world.baseUrl)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("WEBHOOK_SECRET"),
  });
});
