/** Passes for Google Wallet follow sales through real processes, while Google hangs, fails and comes back, and processes are killed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useDatabase } from "../support/database.ts";
import { GoogleWallet, googleSetUp, keyFile, readJwt } from "../support/google-wallet.ts";
import { useInstallation } from "../support/installation.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { type ServiceProcess, startService } from "../support/service-process.ts";
import { until } from "../support/webhooks.ts";
import { testOperatorKey, testSecret, World } from "../support/world.ts";

const world = new World(useDatabase());
const installation = useInstallation();
const google = new GoogleWallet();
let directory = "";
let service: ServiceProcess;
let shop: Sandbox;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-google-"));
  await google.start();
  service = await start();
  shop = await makeSandbox(world, "2026-03-02 10:00:00");
  await operatorWrite(world, "/op/google-wallet/set-up", { business_id: shop.businessId, ...googleSetUp() });
  await until(async () => (await status()).google_status === "ready");
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await google.stop();
  await rm(directory, { recursive: true, force: true });
});

async function start() {
  const { host, port, user, password, database } = world.database.connection;
  const started = startService({
    directory: installation.directory,
    environment: {
      DATABASE_URL: `postgres:///${database}`,
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGPASSWORD: password,
      LOYALTY_DATA_DIR: await mkdtemp(join(directory, "data-")),
      LOYALTY_DEMO: "off",
      LOYALTY_OPERATOR_KEY: testOperatorKey,
      LOYALTY_SECRET: testSecret,
      LOYALTY_RATE_LIMIT: "0",
      LOYALTY_GOOGLE_WALLET_URL: google.url,
    },
  });
  processes.push(started);
  world.baseUrl = await started.ready();
  return started;
}

const status = async () =>
  (await asOperator(world, "/op/google-wallet/get", { business_id: shop.businessId })).body.data;

/** A member whose pass a person has added. */
async function makePass() {
  const contact_id = await shop.member();
  const { page_path } = await shop.write("/sp/members/page-link", { contact_id });
  const reply = await fetch(`${world.baseUrl}${page_path}/google-wallet`, { redirect: "manual" });
  const jwt = reply.headers.get("location")?.split("/").at(-1) ?? "";
  const { id } = readJwt(jwt).payload.loyaltyObjects[0];
  await until(() => google.stored.has(id));
  await endPause(id);
  return { contact_id, id: id as string, secrets: [jwt, page_path.slice(6), id.split(".")[1]] };
}

const topUp = (contact_id: number) =>
  shop.write("/sp/wallet/topup", { contact_id, location_id: shop.locationId, amount: 100 });
const endPause = (id: string) => world.sql`
  UPDATE wallet_pass SET next_push_at = now() WHERE ${id} LIKE '%.' || serial_number`;
const micros = (id: string) => google.stored.get(id).secondaryLoyaltyPoints.balance.money.micros;

it("has the points of a sale within ten seconds", async () => {
  // A busy machine can be late, but not each time.
  let seconds = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && seconds > 10; tries++) {
    const { contact_id, id } = await makePass();
    const startedAt = performance.now();
    await shop.write("/sp/sales/record", { contact_id, location_id: shop.locationId, amount: 4200 });
    const { points } = await shop.ask("/sp/members/balances", { contact_id });
    expect(points).toBeGreaterThan(0);
    await until(() => google.stored.get(id).loyaltyPoints.balance.int === points);
    seconds = (performance.now() - startedAt) / 1000;
  }
  expect(seconds).toBeLessThan(10);
});

it("is held up by no Google, and loses nothing when it or the process dies", async () => {
  const passes = [await makePass(), await makePass(), await makePass()] as const;
  const [first, second, third] = passes;
  google.faults.loyaltyObject = "nothing";
  await topUp(first.contact_id);
  await until(() => google.count(first.id) > 1);
  // The request hangs, and sales go on.
  await topUp(second.contact_id);
  service.kill("SIGKILL");
  await until(() => service.hasEnded);
  delete google.faults.loyaltyObject;
  await google.stop();
  service = await start();
  await topUp(third.contact_id);
  await until(async () => (await status()).google_status === "failing");
  expect((await status()).google_problem).toMatch(/did not respond/);
  await google.start();
  // Otherwise, the service would wait for some seconds.
  await operatorWrite(world, "/op/google-wallet/set-up", { business_id: shop.businessId, ...googleSetUp() });
  await until(async () => {
    for (const { id } of passes) await endPause(id);
    return passes.every(({ id }) => micros(id) === "1000000");
  });
  await until(async () => (await status()).google_status === "ready");
  for (const one of processes)
    for (const secret of [...passes.flatMap(({ secrets }) => secrets), keyFile().private_key.slice(30, 60)])
      expect(one.log + one.said).not.toContain(secret);
});
