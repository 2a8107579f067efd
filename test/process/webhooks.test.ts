/** Two real processes send webhooks, and one of them is killed while it sends. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { leaseSeconds } from "../../src/database/webhooks/leases.ts";
import { useDatabase } from "../support/database.ts";
import { newestEventNo } from "../support/events.ts";
import { useInstallation } from "../support/installation.ts";
import { accept, Receiver } from "../support/receiver.ts";
import { type ServiceProcess, startService } from "../support/service-process.ts";
import {
  endpointOf,
  makeEndpoint,
  retriesOf,
  type TestEndpoint,
  until,
  verified,
} from "../support/webhooks.ts";
import { nextKey, testOperatorKey, testSecret, untilServed, World } from "../support/world.ts";

const world = new World(useDatabase());
const installation = useInstallation();
let directory = "";
let receiver: Receiver;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "loyalty-webhooks-"));
  receiver = await Receiver.start();
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await receiver.stop();
  await rm(directory, { recursive: true, force: true });
});

async function start() {
  const { host, port, user, password, database } = world.database.connection;
  const service = startService({
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
      LOYALTY_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    },
  });
  processes.push(service);
  return { service, baseUrl: await service.ready() };
}

/** How many deliveries of an endpoint are not stored at most. */
const mostUnstored = 50;
const count = { endpoints: 8, events: 60, responded: 30, inFlight: 8, later: 5 };

it("has its endpoints taken over: no event is lost, and only what was not stored is sent again", async () => {
  const both = [await start(), await start()];
  world.baseUrl = both[0]?.baseUrl as string;
  const shop = await world.business("Shop", "UTC");
  const contact_id = await world.member({}, shop.everywhere);
  const adjust = async () => {
    const [location_id] = shop.locationIds;
    const adjustment = { contact_id, location_id, amount: 100, adjustment_type: "credit" };
    const body = { idempotency_key: nextKey(), ...adjustment };
    const reply = await untilServed(() => world.ask("/sp/wallet/adjust", body, shop.everywhere));
    expect(reply.status).toBe(200);
  };
  const endpoints = new Map<string, TestEndpoint>();
  for (let nth = 0; nth < count.endpoints; nth += 1) {
    const url = `${receiver.url}/${nth}`;
    const endpoint = await makeEndpoint(world.sql, shop.businessId, url, { max_in_flight: count.inFlight });
    endpoints.set(`/hooks/${nth}`, endpoint);
  }
  const receivedAt = (path: string) => receiver.received.filter((one) => one.path === path);

  // The receiver responds to some events of each endpoint, and keeps the sender waiting with the next ones.
  const kept: (() => void)[] = [];
  receiver.respond = (response, received, request) => {
    const accepting = () => accept(response, received, request);
    if (receivedAt(received.path).length <= count.responded) accepting();
    else kept.push(accepting);
  };
  await Promise.all(Array.from({ length: count.events }, adjust));
  // Nothing is on its way any more: what the victim has sent would else arrive after it was killed.
  const waits = (path: string) => receivedAt(path).length >= count.responded + count.inFlight;
  await until(() => [...endpoints.keys()].every(waits));
  const leases = await world.sql<{ endpoint_id: number; lessee: string }[]>`
    SELECT endpoint_id, leased_by AS lessee FROM webhook_endpoint`;
  const has = ({ service }: (typeof both)[number], { lessee }: (typeof leases)[number]) =>
    lessee.includes(` ${service.child.pid} `);
  const [victim, survivor] = both.toSorted(
    (one, other) =>
      leases.filter((lease) => has(other, lease)).length - leases.filter((lease) => has(one, lease)).length,
  ) as [(typeof both)[number], (typeof both)[number]];
  const taken = new Set(leases.filter((lease) => has(victim, lease)).map(({ endpoint_id }) => endpoint_id));
  expect(taken.size).toBeGreaterThan(0);

  victim.service.kill("SIGKILL");
  expect(await victim.service.ended()).toBe("SIGKILL");
  const before = receiver.received.length;
  receiver.respond = accept;
  for (const accepting of kept) accepting();
  world.baseUrl = survivor.baseUrl;
  const [leased] = await world.sql<{ seconds: number }[]>`
    SELECT max(extract(epoch FROM leased_until - now()))::float8 AS seconds FROM webhook_endpoint
    WHERE endpoint_id = ANY (${[...taken]}::bigint[])`;
  expect(leased?.seconds).toBeLessThanOrEqual(leaseSeconds);
  // PostgreSQL may still commit what the victim sent last.
  const [{ time }] = (await world.sql`SELECT clock_timestamp()::text AS time`) as [{ time: string }];
  await until(async () => {
    const earlier = await world.sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND xact_start < ${time}::timestamptz`;
    return earlier.length === 0;
  });
  const stored = new Map<string, number>();
  for (const [path, endpoint] of endpoints)
    stored.set(path, (await endpointOf(world.sql, endpoint)).cursor_event_no);
  // What happens while nobody has the leases is sent, too.
  for (let more = 0; more < count.later; more += 1) await adjust();
  const last = await newestEventNo(world.sql, shop.businessId);
  for (const endpoint of endpoints.values())
    await until(async () => (await endpointOf(world.sql, endpoint)).cursor_event_no === last);

  for (const [path, endpoint] of endpoints) {
    const sequencesOf = (some: typeof receiver.received) =>
      some.filter((one) => one.path === path).map(({ body }) => JSON.parse(body.toString()).data.sequence);
    const [first, second] = [receiver.received.slice(0, before), receiver.received.slice(before)];
    const all = new Set([...sequencesOf(first), ...sequencesOf(second)]);
    expect(all.size).toBe(count.events + count.later);
    for (const received of receivedAt(path)) verified(received, endpoint.secret);
    expect(await retriesOf(world.sql, endpoint)).toEqual([]);
    if (!taken.has(endpoint.endpointId)) continue;
    const cursor = stored.get(path) as number;
    // The next process begins after the cursor, and sends each event once.
    expect(sequencesOf(second).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: last - cursor }, (_, index) => cursor + 1 + index),
    );
    expect(sequencesOf(first).filter((sequence) => sequence > cursor).length).toBeLessThanOrEqual(
      mostUnstored,
    );
  }
});
