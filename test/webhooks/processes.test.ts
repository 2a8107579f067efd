/** Several processes share the endpoints, and many endpoints that are down don't delay the others. */
import { afterAll, describe, expect, it } from "vitest";
import { leaseSeconds } from "../../src/database/webhooks/leases.ts";
import { hang, Receiver, refuse } from "../support/receiver.ts";
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
    ...{ idempotency_key: `key ${Math.random()}`, contact_id, location_id },
    ...{ amount: 100, adjustment_type: "credit" },
  };
  const token = await world.token(shop.everywhere);
  const reply = await world.call("/sp/wallet/adjust", body, { token, ...(baseUrl && { baseUrl }) });
  if (reply.status >= 300) throw new Error(reply.text);
}
const isDone = async (endpoint: TestEndpoint) => {
  const [head] = await world.sql<{ last_event_no: number }[]>`
    SELECT last_event_no FROM event_head WHERE business_id = ${endpoint.businessId}`;
  return (await endpointOf(world.sql, endpoint)).cursor_event_no === head?.last_event_no;
};

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

  it("take over from one that was killed", async () => {
    const shop = await world.business("Shop", "UTC");
    const contact_id = await world.member({}, shop.everywhere);
    const one = await receiver();
    const endpoint = await makeEndpoint(world.sql, shop.businessId, one.url);
    await world.sql`UPDATE webhook_endpoint SET leased_by = 'killed', leased_until = now() + make_interval(secs => ${leaseSeconds})
      WHERE endpoint_id = ${endpoint.endpointId}`;
    await adjust(shop, contact_id);
    const looked = world.sql`SELECT pg_sleep(1.5)`;
    await looked;
    expect(one.received).toEqual([]);
    // A lease ends after 30 s, and each process looks once a second.
    expect(leaseSeconds + 2).toBeLessThan(45);
    await world.sql`UPDATE webhook_endpoint SET leased_until = leased_until - make_interval(secs => ${leaseSeconds})
      WHERE endpoint_id = ${endpoint.endpointId}`;
    await until(() => isDone(endpoint));
    expect(one.received).toHaveLength(1);
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
      ...{ cursor_event_no: before.cursor_event_no, leased_by: "another" },
    });
  });
});

describe("many endpoints that are down", () => {
  it("don't delay the others, and make few rows", { timeout: 120_000 }, async () => {
    const shop = await world.business("Shop", "UTC");
    const contact_id = await world.member({}, shop.everywhere);
    const [good, broken, silent] = [await receiver(), await receiver(), await receiver()];
    broken.respond = refuse(500);
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
    for (let count = 0; count < 10; count += 1) await adjust(shop, contact_id);
    for (const endpoint of healthy) await until(() => isDone(endpoint));
    expect(good.received).toHaveLength(120);
    // One request to each of those that don't respond.
    expect(silent.received.length).toBeLessThanOrEqual(12);
    const [rows] = await world.sql<{ retries: number }[]>`
      SELECT count(*) AS retries FROM webhook_retry WHERE business_id = ${shop.businessId}`;
    expect(rows?.retries).toBeLessThanOrEqual(4 * dead.length);
  });
});
