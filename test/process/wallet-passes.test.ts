/** Passes follow what happens to members: real processes tell phones by a push service, which fails, hangs and comes back. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, expect, it } from "vitest";
import { useDatabase } from "../support/database.ts";
import { useInstallation } from "../support/installation.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { examplePassType, walletSetUp } from "../support/pass-certificates.ts";
import { PushService, passesFollowed } from "../support/push-service.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { type ServiceProcess, startService } from "../support/service-process.ts";
import { until } from "../support/webhooks.ts";
import { testOperatorKey, testSecret, World } from "../support/world.ts";

const world = new World(useDatabase());
const installation = useInstallation();
const apple = new PushService();
let directory = "";
let service: ServiceProcess;
let shop: Sandbox;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-passes-"));
  await apple.start();
  await writeFile(join(directory, "ca.pem"), apple.authority.certificate);
  service = await start();
  shop = await makeSandbox(world, "2026-03-02 10:00:00");
  await operatorWrite(world, "/op/apple-wallet/set-up", { business_id: shop.businessId, ...walletSetUp() });
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await apple.stop();
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
      LOYALTY_APPLE_PUSH_URL: apple.url,
      NODE_EXTRA_CA_CERTS: join(directory, "ca.pem"),
    },
  });
  processes.push(started);
  world.baseUrl = await started.ready();
  return started;
}

let lastToken = 0xabcdef00;

/** A member whose pass is on a phone. */
async function makePhone() {
  const contact_id = await shop.member();
  const { page_path } = await shop.write("/sp/members/page-link", { contact_id });
  // Otherwise, the phone would be told of the new member.
  await passesFollowed(world.sql, shop.businessId);
  const read = async (url: string, authorization: string) => {
    const reply = await fetch(url, { headers: { authorization } });
    expect(reply.status).toBe(200);
    const files = unzipSync(new Uint8Array(await reply.arrayBuffer()));
    return JSON.parse(Buffer.from(files["pass.json"] as Uint8Array).toString());
  };
  const pass = await read(`${world.baseUrl}${page_path}/card.pkpass`, "");
  const { serialNumber: serial, authenticationToken } = pass;
  const authorization = `ApplePass ${authenticationToken}`;
  const home = `${world.baseUrl}/wallet/apple/${shop.businessId}/v1`;
  lastToken += 1;
  const pushToken = lastToken.toString(16);
  const reply = await fetch(`${home}/devices/phone-${pushToken}/registrations/${examplePassType}/${serial}`, {
    ...{ method: "POST", headers: { authorization }, body: JSON.stringify({ pushToken }) },
  });
  expect(reply.status).toBe(201);
  const latest = () =>
    read(
      `${world.baseUrl}/wallet/apple/${shop.businessId}/v1/passes/${examplePassType}/${serial}`,
      authorization,
    );
  return {
    contact_id,
    serial,
    pushToken,
    latest,
    secrets: [authenticationToken, serial, pushToken, page_path.slice(6)],
  };
}

const topUp = (contact_id: number, amount = 100) =>
  shop.write("/sp/wallet/topup", { contact_id, location_id: shop.locationId, amount });
const stored = async (serial: string) => {
  const [row] = await world.sql<
    { changes: number; pushed: number; waits: boolean; tokens: (string | null)[] }[]
  >`
    SELECT changes, pushed_changes AS pushed, next_push_at > now() AS waits,
      ARRAY(SELECT push_token FROM wallet_pass_device AS d WHERE d.serial_number = p.serial_number) AS tokens
    FROM wallet_pass AS p WHERE serial_number = ${serial}`;
  return row;
};
/** Lets the pause of a pass end. */
const endPause = (serial: string) =>
  world.sql`UPDATE wallet_pass SET next_push_at = now() WHERE serial_number = ${serial}`;
const isTold = async (serial: string) => {
  const row = await stored(serial);
  return row !== undefined && row.changes > 0 && row.changes === row.pushed;
};

it("shows the points of a sale within ten seconds, and tells a phone at most once in five minutes", async () => {
  // A busy machine can be late, but not each time.
  let seconds = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && seconds > 10; tries++) {
    const { contact_id, pushToken, latest } = await makePhone();
    const startedAt = performance.now();
    const sale = { contact_id, location_id: shop.locationId, amount: 4200 };
    await shop.write("/sp/sales/record", sale);
    await until(() => apple.count(pushToken) === 1);
    const pass = await latest();
    seconds = (performance.now() - startedAt) / 1000;
    const { points } = await shop.ask("/sp/members/balances", { contact_id });
    expect(points).toBeGreaterThan(0);
    expect(pass.storeCard.primaryFields[0].value).toBe(points);
    expect(apple.pushes.at(-1)).toEqual({
      ...{ token: pushToken, topic: examplePassType, body: "{}", client: examplePassType },
    });
  }
  expect(seconds).toBeLessThan(10);
  const { contact_id, pushToken, serial, latest } = await makePhone();
  await topUp(contact_id);
  await until(() => isTold(serial));
  await topUp(contact_id, 50);
  await topUp(contact_id, 30);
  await until(async () => !(await isTold(serial)));
  // Another phone is told meanwhile, so the loop has looked at both.
  const other = await makePhone();
  await topUp(other.contact_id);
  await until(() => isTold(other.serial));
  expect([apple.count(pushToken), (await stored(serial))?.waits]).toEqual([1, true]);
  await endPause(serial);
  await until(() => isTold(serial));
  expect(apple.count(pushToken)).toBe(2);
  expect((await latest()).storeCard.secondaryFields.at(-1).value).toBe(1.8);
});

it("forgets phones that are gone", async () => {
  for (const answer of [
    { status: 410, reason: "Unregistered" },
    { status: 400, reason: "BadDeviceToken" },
  ]) {
    const { contact_id, serial, pushToken } = await makePhone();
    apple.answer = answer;
    await topUp(contact_id);
    await until(async () => (await stored(serial))?.tokens.length === 0);
    apple.answer = { status: 200 };
    expect(apple.count(pushToken)).toBe(1);
  }
  const { contact_id, serial } = await makePhone();
  apple.answer = { status: 400, reason: "PayloadTooLarge" };
  await topUp(contact_id);
  await until(async () => (await stored(serial))?.waits === true);
  apple.answer = { status: 200 };
  expect((await stored(serial))?.tokens).toHaveLength(1);
  await endPause(serial);
  await until(() => isTold(serial));
});

it("voids the pass of an erased member by a last push, and forgets its phone", async () => {
  const { contact_id, serial, pushToken, latest } = await makePhone();
  await operatorWrite(world, "/op/members/erase", { business_id: shop.businessId, contact_id });
  await until(() => isTold(serial));
  expect(apple.count(pushToken)).toBe(1);
  await until(async () => (await stored(serial))?.tokens[0] === null);
  expect(await latest()).toMatchObject({ voided: true, storeCard: {} });
});

it("is held up by no push service, and loses nothing when it or the process dies", async () => {
  const phones = [await makePhone(), await makePhone()];
  const [first, second] = phones as [(typeof phones)[0], (typeof phones)[0]];
  await apple.stop();
  await topUp(first.contact_id);
  await until(async () => (await stored(first.serial))?.waits === true);
  await topUp(first.contact_id);
  await apple.start();
  await until(async () => {
    await endPause(first.serial);
    return isTold(first.serial);
  });
  expect(apple.count(first.pushToken)).toBeGreaterThan(0);
  apple.answer = "nothing";
  await topUp(second.contact_id);
  await until(() => apple.count(second.pushToken) === 1);
  await topUp(second.contact_id);
  service.kill("SIGKILL");
  await until(() => service.hasEnded);
  apple.answer = { status: 200 };
  service = await start();
  await endPause(second.serial);
  await until(() => isTold(second.serial));
  const { body } = await asOperator(world, "/op/apple-wallet/get", { business_id: shop.businessId });
  expect(body.data).toMatchObject({ certificate_status: "valid", passes: expect.any(Number) });
  for (const one of processes)
    for (const secret of phones.flatMap(({ secrets }) => secrets))
      expect(one.log + one.said).not.toContain(secret);
});
