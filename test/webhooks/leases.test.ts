/** A lease that has ended changes nothing any more, and one that is only locked for a moment is kept. */

import { afterAll, expect, it } from "vitest";
import { type EndpointProgress, storeProgress } from "../../src/database/webhooks/attempts.ts";
import { newestEventNo } from "../support/events.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { accept, Receiver } from "../support/receiver.ts";
import { attemptsOf, endpointOf, makeEndpoint, type TestEndpoint, until } from "../support/webhooks.ts";
import { type Business, useWorld } from "../support/world.ts";

const world = useWorld({ LOYALTY_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" });
const receivers: Receiver[] = [];
afterAll(() => Promise.all(receivers.map((one) => one.stop())));

let shop: Business;
let contact_id = 0;
async function setUp(fields: Parameters<typeof makeEndpoint>[3] = {}, integration = false) {
  shop = await world.business("Shop", "UTC");
  contact_id = await world.member({}, shop.everywhere);
  const receiver = await Receiver.start();
  receivers.push(receiver);
  const own = integration ? { integrationId: shop.everywhere.integrationId } : {};
  return {
    receiver,
    endpoint: await makeEndpoint(world.sql, shop.businessId, receiver.url, { ...own, ...fields }),
  };
}
async function adjust(): Promise<void> {
  const [location_id] = shop.locationIds;
  const body = { contact_id, location_id, amount: 100, adjustment_type: "credit" };
  const reply = await world.write("/sp/wallet/adjust", body, shop.everywhere);
  if (reply.status >= 300) throw new Error(reply.text);
}
const lastEventNo = () => newestEventNo(world.sql, shop.businessId);
const asShop = (path: string, body: object) =>
  operatorWrite(world, path, { business_id: shop.businessId, ...body });
const progressOf = (
  { businessId: business_id, endpointId: endpoint_id }: TestEndpoint,
  lease: string,
  cursor_event_no: number,
): EndpointProgress => ({
  business_id,
  endpoint_id,
  lease,
  cursor_event_no,
  status: "enabled",
  disabled_reason: null,
  failures: 0,
  due_seconds: null,
  is_released: true,
  is_changed: false,
  retries: [],
  finished: [],
  attempts: [
    {
      event_no: 1,
      kind: "delivery",
      attempt: 1,
      started_at: performance.now(),
      milliseconds: 1,
      succeeded: true,
      response_status: 204,
      error: null,
      response_body: null,
    },
  ],
});

it("sends again from where a request says, though an earlier lease has progress to store", async () => {
  const { receiver, endpoint } = await setUp();
  for (let count = 0; count < 5; count += 1) await adjust();
  const first = (await lastEventNo()) - 4;
  await until(() => receiver.received.length === 5);
  // The progress is stored within a second. Before, the cursor is moved back, and an event wakes the sender.
  await asShop("/op/webhook-endpoints/enable", {
    endpoint_id: endpoint.endpointId,
    event_no: first,
  });
  await adjust();
  await until(async () => (await endpointOf(world.sql, endpoint)).cursor_event_no === first + 5);
  const times = (no: number) => receiver.sequences.filter((one) => one === no).length;
  expect([0, 1, 2, 3, 4].map((index) => times(first + index))).toEqual([2, 2, 2, 2, 2]);
});

it("sends a test that is requested while another one is in flight", async () => {
  const { receiver, endpoint } = await setUp();
  const responses: (() => void)[] = [];
  receiver.respond = (response, received, request) =>
    void responses.push(() => accept(response, received, request));
  const test = () =>
    asShop("/op/webhook-endpoints/test", { endpoint_id: endpoint.endpointId, type: "sale.recorded" });
  await test();
  await until(() => responses.length === 1);
  await test();
  responses[0]?.();
  await until(() => responses.length === 2);
  responses[1]?.();
  await until(async () => (await attemptsOf(world.sql, endpoint)).length === 2);
});

it("sends nothing of a location that was taken from an integration", async () => {
  const { receiver, endpoint } = await setUp({ max_in_flight: 1 }, true);
  const responses: (() => void)[] = [];
  receiver.respond = (response, received, request) =>
    void responses.push(() => accept(response, received, request));
  for (let count = 0; count < 6; count += 1) await adjust();
  await until(() => responses.length === 1);
  await asShop("/op/integrations/update", {
    integration_id: shop.everywhere.integrationId,
    all_locations: false,
    location_ids: [shop.locationIds[1]],
  });
  // The lease has ended. The receiver responds when the process knows that.
  await until(async () => (await endpointOf(world.sql, endpoint)).leased_by !== null);
  for (const response of responses) response();
  receiver.respond = accept;
  await until(async () => (await endpointOf(world.sql, endpoint)).cursor_event_no === (await lastEventNo()));
  expect(receiver.received).toHaveLength(1);
});

it("stores under a lease only while it has not ended, and renews it", async () => {
  const { endpoint } = await setUp({}, true);
  await world.sql`
    UPDATE webhook_endpoint SET leased_by = 'process 1', leased_until = now() + interval '5 seconds'
    WHERE endpoint_id = ${endpoint.endpointId}`;
  const store = (lease: string, cursor: number, is_released = false) =>
    world.sql.begin(async (tx) => {
      const progress = { ...progressOf(endpoint, lease, cursor), is_released };
      return (await storeProgress(tx, [progress], performance.now())).length;
    });
  const leasedFor = async () => {
    const [row] = await world.sql<{ seconds: number | null }[]>`
      SELECT extract(epoch FROM leased_until - now())::float8 AS seconds FROM webhook_endpoint
      WHERE endpoint_id = ${endpoint.endpointId}`;
    return row?.seconds ?? 0;
  };
  const { cursor_event_no: cursor } = await endpointOf(world.sql, endpoint);
  expect(await store("process 2", cursor + 5)).toBe(0);
  expect(await attemptsOf(world.sql, endpoint)).toHaveLength(1);
  const own = { cursor_event_no: cursor, leased_by: "process 1" };
  expect(await endpointOf(world.sql, endpoint)).toMatchObject(own);
  expect(await leasedFor()).toBeLessThanOrEqual(5);
  expect(await store("process 1", cursor)).toBe(1);
  expect(await endpointOf(world.sql, endpoint)).toMatchObject(own);
  expect(await leasedFor()).toBeGreaterThan(5);
  // Rights of the integration end the lease.
  await asShop("/op/integrations/update", {
    integration_id: shop.everywhere.integrationId,
    scopes: ["wa.wallet.write"],
  });
  expect(await store("process 1", cursor + 5)).toBe(0);
  expect((await endpointOf(world.sql, endpoint)).cursor_event_no).toBe(cursor);
});
