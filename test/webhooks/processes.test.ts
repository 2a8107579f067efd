/** Several processes share the endpoints (test/process/webhooks.test.ts kills one), and many endpoints that are down don't delay the others. */

import { afterAll, describe, expect, it } from "vitest";
import { takeLeases } from "../../src/database/webhooks/leases.ts";
import { newestEventNo } from "../support/events.ts";
import { close, hang, Receiver, respondWith } from "../support/receiver.ts";
import { endpointOf, expectInOrder, makeEndpoint, type TestEndpoint, until } from "../support/webhooks.ts";
import { type Business, startService, useWorld } from "../support/world.ts";

const world = useWorld({ LOYALTY_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" });
const receivers: Receiver[] = [];

async function receiver(): Promise<Receiver> {
  const started = await Receiver.start();
  receivers.push(started);
  return started;
}
afterAll(() => Promise.all(receivers.map((one) => one.stop())));

async function adjust(shop: Business, contact_id: number, baseUrl?: string): Promise<void> {
  const [location_id] = shop.locationIds;
  const body = {
    idempotency_key: `key ${Math.random()}`,
    contact_id,
    location_id,
    amount: 100,
    adjustment_type: "credit",
  };
  const token = await world.token(shop.everywhere);
  const reply = await world.call("/sp/wallet/adjust", body, { token, ...(baseUrl && { baseUrl }) });
  if (reply.status >= 300) throw new Error(reply.text);
}
const isDone = async (endpoint: TestEndpoint) => {
  const last = await newestEventNo(world.sql, endpoint.businessId);
  return (await endpointOf(world.sql, endpoint)).cursor_event_no === last;
};

it("an endpoint whose progress can't be stored keeps no other back", async () => {
  const [bad, good] = [await world.business("Bad", "UTC"), await world.business("Good", "UTC")];
  const endpoints = new Map<Business, TestEndpoint>();
  for (const shop of [bad, good]) {
    const { url } = await receiver();
    endpoints.set(shop, await makeEndpoint(world.sql, shop.businessId, url));
  }
  const [badOne, goodOne] = [endpoints.get(bad), endpoints.get(good)] as [TestEndpoint, TestEndpoint];
  await world.sql.query(`
    CREATE FUNCTION reject_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE check_violation; END $$;
    CREATE TRIGGER reject_attempt BEFORE INSERT ON webhook_attempt FOR EACH ROW
    WHEN (NEW.business_id = ${bad.businessId}) EXECUTE FUNCTION reject_attempt()`);
  // The first one is stored again each second, so the other one is stored with it.
  for (let count = 0; count < 5; count += 1) {
    for (const shop of [bad, good]) await adjust(shop, await world.member({}, shop.everywhere));
  }
  await until(() => isDone(goodOne));
  expect(await isDone(badOne)).toBe(false);
  await world.sql`DROP TRIGGER reject_attempt ON webhook_attempt`;
  await until(() => isDone(badOne));
});

it("an endpoint that was probed since it was found due is left to its pause", async () => {
  const shop = await world.business("Shop", "UTC");
  const endpoint = await makeEndpoint(world.sql, shop.businessId, (await receiver()).url);
  const key = { business_id: shop.businessId, endpoint_id: endpoint.endpointId };
  const takeWhenDueIn = (pause: string) =>
    world.sql.begin(async (tx) => {
      await tx`
        UPDATE webhook_endpoint
        SET status = 'failing', failures = 1, failing_since = now(), due_at = now() + ${pause}::interval, leased_by = NULL
        WHERE business_id = ${key.business_id} AND endpoint_id = ${key.endpoint_id}`;
      return takeLeases(tx, "another process", "another process 1", [key]);
    });
  expect(await takeWhenDueIn("1 hour")).toEqual([]);
  expect(await takeWhenDueIn("0")).toMatchObject([key]);
});

describe("two processes", () => {
  it("send each event once, in its order, whichever of them has recorded it", async () => {
    const shop = await world.business("Shop", "UTC");
    const contact_id = await world.member({}, shop.everywhere);
    const one = await receiver();
    const endpoint = await makeEndpoint(world.sql, shop.businessId, one.url, { ordered: true });
    const other = await startService(world, {});
    for (let count = 0; count < 20; count += 1) {
      await adjust(shop, contact_id, count % 2 === 0 ? world.baseUrl : other.baseUrl);
    }
    await until(() => isDone(endpoint));
    expect(one.sequences).toHaveLength(20);
    expectInOrder(one.sequences);
    // A stop gives the lease back, and stores what was sent, so nothing is sent twice.
    await other.close();
    await adjust(shop, contact_id);
    await until(() => isDone(endpoint));
    expect(new Set(one.sequences).size).toBe(one.sequences.length);
    expect(one.sequences).toHaveLength(21);
  });

  it("don't move the cursor of an endpoint whose lease another one has", async () => {
    const shop = await world.business("Shop", "UTC");
    const contact_id = await world.member({}, shop.everywhere);
    const one = await receiver();
    const endpoint = await makeEndpoint(world.sql, shop.businessId, one.url);
    let respond = () => {};
    one.respond = (response) => {
      respond = () => response.writeHead(204).end();
    };
    await adjust(shop, contact_id);
    await until(() => one.received.length === 1);
    // While the receiver takes its time, another process takes the lease.
    const before = await endpointOf(world.sql, endpoint);
    await world.sql`UPDATE webhook_endpoint SET leased_by = 'another', leased_until = now() + interval '1 hour'
      WHERE endpoint_id = ${endpoint.endpointId}`;
    respond();
    const attempts = () => world.sql`SELECT FROM webhook_attempt WHERE endpoint_id = ${endpoint.endpointId}`;
    await until(async () => (await attempts()).length === 1);
    expect(await endpointOf(world.sql, endpoint)).toMatchObject({
      cursor_event_no: before.cursor_event_no,
      leased_by: "another",
    });
  });
});

describe("many endpoints that are down", () => {
  it("don't delay the others, and make few rows", async () => {
    const shop = await world.business("Shop", "UTC");
    const contact_id = await world.member({}, shop.everywhere);
    const [good, broken, silent] = [await receiver(), await receiver(), await receiver()];
    broken.respond = respondWith(500);
    silent.respond = hang;
    const closed = await Receiver.start();
    const { url: nowhere } = closed;
    await closed.stop();
    const dead: TestEndpoint[] = [];
    for (const url of [broken.url, silent.url, nowhere]) {
      for (let count = 0; count < 12; count += 1)
        dead.push(await makeEndpoint(world.sql, shop.businessId, url));
    }
    const healthy: TestEndpoint[] = [];
    for (let count = 0; count < 12; count += 1)
      healthy.push(await makeEndpoint(world.sql, shop.businessId, good.url));
    const startedAt = performance.now();
    for (let count = 0; count < 10; count += 1) await adjust(shop, contact_id);
    for (const endpoint of healthy) await until(() => isDone(endpoint));
    expect(good.received).toHaveLength(120);
    // One request to each of those that don't respond, which is given up after 15 seconds.
    const requests = silent.received.length;
    const seconds = (performance.now() - startedAt) / 1000;
    expect(requests).toBeLessThanOrEqual(12 * (1 + Math.floor(seconds / 15)));
    const [rows] = await world.sql<{ retries: number }[]>`
      SELECT count(*) AS retries FROM webhook_retry WHERE business_id = ${shop.businessId}`;
    expect(rows?.retries).toBeLessThanOrEqual(4 * dead.length);
  });

  it("get one probe per pause and no rows, while as many others get everything", async () => {
    const shop = await world.business("Shop", "UTC");
    const contact_id = await world.member({}, shop.everywhere);
    const [good, broken, closing] = [await receiver(), await receiver(), await receiver()];
    broken.respond = respondWith(500);
    closing.respond = close;
    const asked = () => broken.received.length + closing.received.length;
    const healthy: TestEndpoint[] = [];
    const each = 100;
    for (let count = 0; count < each; count += 1) {
      await makeEndpoint(world.sql, shop.businessId, (count % 2 === 0 ? broken : closing).url);
      healthy.push(await makeEndpoint(world.sql, shop.businessId, good.url));
    }
    const adjustTimes = async (times: number) => {
      for (let count = 0; count < times; count += 1) await adjust(shop, contact_id);
      for (const endpoint of healthy) await until(() => isDone(endpoint));
    };
    await adjustTimes(6);
    const dead = () => world.sql<{ failures: number }[]>`
      SELECT failures FROM webhook_endpoint WHERE business_id = ${shop.businessId} AND status = 'failing'`;
    await until(async () => (await dead()).length === each);
    /** Lets the pause of all end, until each has had so many probes. */
    const probe = async (times: number) => {
      await until(async () => {
        // Rows are locked in the order in which the sender locks them.
        await world.sql`
          WITH early AS MATERIALIZED (
            SELECT endpoint_id FROM webhook_endpoint
            WHERE business_id = ${shop.businessId} AND status = 'failing' AND failures < ${times}
            ORDER BY business_id, endpoint_id FOR NO KEY UPDATE
          )
          UPDATE webhook_endpoint e SET due_at = now() FROM early
          WHERE e.business_id = ${shop.businessId} AND e.endpoint_id = early.endpoint_id`;
        return (await dead()).every(({ failures }) => failures >= times);
      });
    };
    // From now on, the pauses are longer than this test.
    await probe(4);
    const rows = async () =>
      (
        await world.sql`
          SELECT FROM webhook_retry JOIN webhook_endpoint USING (business_id, endpoint_id)
          WHERE business_id = ${shop.businessId} AND status = 'failing'`
      ).length;
    const [rowsBefore, askedBefore] = [await rows(), asked()];
    await adjustTimes(20);
    expect(asked()).toBe(askedBefore);
    await probe(5);
    expect(asked()).toBe(askedBefore + each);
    expect(await rows()).toBe(rowsBefore);
    const [attempts] = await world.sql<{ probes: number; failures: number }[]>`
      SELECT count(*) AS probes, (
        SELECT sum(failures) FROM webhook_endpoint WHERE business_id = ${shop.businessId} AND status = 'failing'
      ) AS failures FROM webhook_attempt WHERE business_id = ${shop.businessId} AND kind = 'probe'`;
    expect(attempts?.probes).toBe(Number(attempts?.failures));
    expect(good.received.length).toBeGreaterThanOrEqual(each * 26);
  });
});
