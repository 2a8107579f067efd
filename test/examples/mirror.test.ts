/** The mirror: its copy equals the ledger, though it and the service are killed, and events were lost, repeated or deleted. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { lastEventNo } from "../../src/database/events.ts";
import { useDatabase } from "../support/database.ts";
import { useInstallation } from "../support/installation.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { randomFrom } from "../support/random.ts";
import { accept, Receiver } from "../support/receiver.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { freePort, type ServiceProcess, startService } from "../support/service-process.ts";
import {
  attemptsOf,
  endpointOf,
  letTimePass,
  newWebhookSecret,
  retriesOf,
  until,
  verified,
} from "../support/webhooks.ts";
import { type CallOptions, type Reply, testOperatorKey, testSecret, World } from "../support/world.ts";
import { environmentOf, finished, runExample, startProgram, useFolder } from "./programs.ts";

/** Repeats a request, under the same key, until the service responds. */
class PatientWorld extends World {
  override async call(path: string, body: unknown, options?: CallOptions): Promise<Reply> {
    for (;;) {
      const reply = await super.call(path, body, options).catch((error: NodeJS.ErrnoException) => {
        if (!/^(?:ECONNREFUSED|ECONNRESET|EPIPE)$/.test(error.code ?? "")) throw error;
        return undefined;
      });
      if (reply !== undefined && reply.status < 500) return reply;
      await sleep(50);
    }
  }
}

const world = new PatientWorld(useDatabase());
const installation = useInstallation();
useFolder();
const mirror = join(import.meta.dirname, "../../examples/mirror/mirror.mjs");

let directory = "";
let slow: Receiver;
let mirrorPort = 0;
let start: () => ServiceProcess;
let service: ServiceProcess;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-mirror-"));
  slow = await Receiver.start();
  mirrorPort = await freePort();
  const { host, port, user, password, database } = world.database.connection;
  const environment = {
    DATABASE_URL: `postgres:///${database}`,
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
    LOYALTY_DATA_DIR: directory,
    PORT: String(await freePort()),
    LOYALTY_OPERATOR_KEY: testOperatorKey,
    LOYALTY_SECRET: testSecret,
    LOYALTY_RATE_LIMIT: "0",
    LOYALTY_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    LOYALTY_WEBHOOK_PORTS: `${mirrorPort}, ${slow.port}`,
  };
  start = () => startService({ directory: installation.directory, environment });
  service = start();
  world.baseUrl = await service.ready();
});
afterAll(async () => {
  await service?.stop();
  await slow.stop();
  await rm(directory, { recursive: true, force: true });
});

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});
const newFile = async () => join(await mkdtemp(join(directory, "copy-")), "mirror.jsonl");

/** A sandbox with vouchers that lapse, and points that expire. */
async function makeShop() {
  const shop = await makeSandbox(world, "2026-01-10 09:00:00");
  const { businessId: business_id } = shop;
  const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
    business_id,
    campaign_name: "Coffee",
    coupon_code: "COFFEE",
    coupon_value: 400,
    validity: 1,
    validity_period: "week",
    points_price: 5,
  });
  await shop.rules({
    points_validity: 2,
    points_validity_period: "week",
    points_expiry_rounding: "day",
    pending_days: 2,
  });
  return { ...shop, voucherId: voucher_id as number };
}
type Shop = Awaited<ReturnType<typeof makeShop>>;

const recordEvents = ({ businessId: business_id }: Shop) =>
  operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });

/** Makes members whose points expire in the same night. */
async function giveMany(shop: Shop, count: number): Promise<void> {
  const give = async () => {
    const contact_id = await shop.member();
    await shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount: 1000 });
  };
  for (let made = 0; made < count; made += 10) await Promise.all(Array.from({ length: 10 }, give));
}

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
  const day = new Date(Date.parse("2026-01-10") + (round + 1) * 5 * 86_400_000);
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

it("begins with what is there, follows the events, and begins again when events were deleted", async () => {
  const shop = await makeShop();
  await recordEvents(shop);
  const file = await newFile();
  await live(shop, 0);
  expect((await readOnce(shop, file)).stderr).toContain("Read the balances of 6 members.");
  await expectEqual(shop, file);
  await live(shop, 1);
  expect((await readOnce(shop, file)).stderr).toBe("");
  await expectEqual(shop, file);
  await live(shop, 2);
  await world.sql`
    DELETE FROM event WHERE business_id = ${shop.businessId} AND event_no < ${lastEventNo(shop.businessId)}`;
  await live(shop, 3);
  expect((await readOnce(shop, file)).stderr).toContain("All balances are read anew.");
  await expectEqual(shop, file);
});

/** Starts the mirror, and waits until it says something. */
async function startMirror(
  shop: Shop,
  file: string,
  { secret, saying, baseUrl = world.baseUrl }: { secret: string; saying: RegExp; baseUrl?: string },
): Promise<ChildProcess> {
  const words = [mirror, "--file", file, "--port", String(mirrorPort), "--poll", "3600"];
  const child = startProgram(process.execPath, words, {
    ...environmentOf(shop, baseUrl),
    WEBHOOK_SECRET: secret,
  });
  running.add(child);
  let said = "";
  child.stderr?.on("data", (text) => {
    said += String(text);
  });
  await expect.poll(() => said).toMatch(saying);
  return child;
}
const isComplete = /The copy is complete/;

async function makeEndpoint(shop: Shop, port: number) {
  const url = `http://127.0.0.1:${port}/hooks`;
  const { endpoint_id, secret } = await shop.write("/sp/webhook-endpoints/create", { url, types: ["*"] });
  return { businessId: shop.businessId, endpointId: endpoint_id as number, secret: secret as string };
}

it("equals the ledger after days of webhooks, in which it and the service are killed again and again", async () => {
  const random = randomFrom(38);
  const shop = await makeShop();
  await giveMany(shop, 300);
  const endpoint = await makeEndpoint(shop, mirrorPort);
  const { cursor_event_no: first } = await endpointOf(world.sql, endpoint);
  slow.respond = (response) =>
    void setTimeout(() => response.writeHead(204).end(), 1000 + random.below(1000));
  const slowEndpoint = await makeEndpoint(shop, slow.port);
  const { cursor_event_no: slowFirst } = await endpointOf(world.sql, slowEndpoint);
  const file = await newFile();
  const { secret } = endpoint;
  let child = await startMirror(shop, file, { secret, saying: isComplete });

  const killMirror = async () => {
    if (child.exitCode !== null) throw new Error(`the mirror ended by itself: ${child.exitCode}`);
    child.kill("SIGKILL");
    await once(child, "close");
    running.delete(child);
    // The service may be down, too, so the copy may be completed later.
    child = await startMirror(shop, file, { secret, saying: /Receiving webhooks/ });
  };
  const killService = async () => {
    service.kill("SIGKILL");
    expect(await service.ended()).toBe("SIGKILL");
    // As though the leases of the killed process had ended.
    await world.sql`UPDATE webhook_endpoint SET leased_until = now() - interval '1 second' WHERE leased_by IS NOT NULL`;
    service = start();
    await service.ready();
  };
  const kill = async (which: readonly (() => Promise<void>)[]) => {
    for (const one of which) {
      await sleep(random.below(400));
      await one();
      await letTimePass(world.sql, endpoint, 60);
    }
  };
  // Points are valid for two weeks, so those of all members expire in the last round.
  for (let round = 0; round < 4; round += 1) {
    const order = random.chance(0.5) ? [killMirror, killService] : [killService, killMirror];
    await Promise.all([live(shop, round), kill([...order, killMirror])]);
  }

  const [head] = await world.sql<{ last: number; expired: number }[]>`
    SELECT ${lastEventNo(shop.businessId)} AS last, (
      SELECT count(DISTINCT contact_id) FROM ledger_entry e
      WHERE e.business_id = ${shop.businessId} AND e.event_type = 'reward_points_expired'
    ) AS expired`;
  const last = head?.last as number;
  expect(head?.expired).toBeGreaterThanOrEqual(300);
  const isDone = async (one: typeof endpoint) => {
    await letTimePass(world.sql, one, 600);
    const { cursor_event_no, status } = await endpointOf(world.sql, one);
    const isSent = cursor_event_no === last && (await retriesOf(world.sql, one)).length === 0;
    if (!isSent) await sleep(100);
    return isSent && status === "enabled";
  };
  await until(() => isDone(endpoint));
  // The mirror has got and accepted each event from the sender, whatever it has read by itself.
  const [attempts] = await world.sql<{ delivered: number }[]>`
    SELECT count(DISTINCT event_no) AS delivered FROM webhook_attempt
    WHERE business_id = ${shop.businessId} AND endpoint_id = ${endpoint.endpointId} AND succeeded`;
  expect(attempts?.delivered).toBe(last - first);
  const state = async () =>
    (await (await fetch(`http://127.0.0.1:${mirrorPort}/`)).json()) as { next: number };
  await expect.poll(async () => (await state()).next).toBe(last);
  const [contactId, money] = ((await ledgerOf(shop)).find((line) => !/,0,0,0,0$/.test(line)) as string).split(
    ",",
  );
  const shown = await fetch(`http://127.0.0.1:${mirrorPort}/balances/${contactId}`);
  expect(await shown.json()).toMatchObject({ wallet: Number(money) });
  const ended = finished(child);
  child.kill("SIGTERM");
  expect((await ended).status).toBe(0);
  running.delete(child);
  await expectEqual(shop, file);

  // The slow endpoint has failed at nothing, and gets everything too.
  expect(await endpointOf(world.sql, slowEndpoint)).toMatchObject({ status: "enabled" });
  slow.respond = accept;
  await until(() => isDone(slowEndpoint));
  for (const received of slow.received) verified(received, slowEndpoint.secret);
  expect(new Set(slow.sequences).size).toBe(last - slowFirst);
});

it("ends in order while it still reads its first balances", async () => {
  const shop = await makeShop();
  // Requests wait, so that the first balances never arrive.
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const child = await startMirror(shop, await newFile(), {
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    saying: /Receiving webhooks/,
    baseUrl: `http://127.0.0.1:${port}`,
  });
  const ended = finished(child);
  child.kill("SIGTERM");
  expect((await ended).status).toBe(0);
  running.delete(child);
  silent.close();
});

it("responds to a test of its endpoint, and does not take its example for an event", async () => {
  const shop = await makeShop();
  const endpoint = await makeEndpoint(shop, mirrorPort);
  await live(shop, 0);
  const file = await newFile();
  const child = await startMirror(shop, file, { secret: endpoint.secret, saying: isComplete });
  await shop.write("/sp/webhook-endpoints/test", { endpoint_id: endpoint.endpointId, type: "sale.recorded" });
  const tests = async () => (await attemptsOf(world.sql, endpoint)).filter(({ kind }) => kind === "test");
  await until(async () => (await tests()).length === 1);
  expect(await tests()).toMatchObject([{ succeeded: true, response_status: 200 }]);
  const ended = finished(child);
  child.kill("SIGTERM");
  expect((await ended).status).toBe(0);
  running.delete(child);
  await expectEqual(shop, file);
});

it("rejects what is no webhook, and settings that can't work", async () => {
  const shop = await makeShop();
  await recordEvents(shop);
  const file = await newFile();
  const port = mirrorPort;
  await startMirror(shop, file, { secret: newWebhookSecret(), saying: isComplete });
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
