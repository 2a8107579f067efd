/** The age of what the sender has not sent, by which alerts notice that it is stuck. */
import { expect, it } from "vitest";
import { readWebhookHealth } from "../../src/database/webhooks/leases.ts";
import { endpointOf, makeEndpoint } from "../support/webhooks.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

it("counts events and due retries of enabled endpoints that may receive", async () => {
  const shop = await world.business("Shop", "UTC");
  const { businessId, everywhere } = shop;
  const { integrationId } = everywhere;
  await world.sql`UPDATE integration SET scopes = scopes || '{wa.webhooks.write}'::text[] WHERE integration_id = ${integrationId}`;
  const endpoint = await makeEndpoint(world.sql, businessId, "https://receiver.example/", { integrationId });
  // As though a process that is stuck had the lease.
  await world.sql`UPDATE webhook_endpoint SET leased_by = 'stuck', leased_until = 'infinity' WHERE business_id = ${businessId}`;
  const waits = async () => (await readWebhookHealth(world.sql, [businessId])).backlog_seconds;
  const setStatus = (status: string) => world.sql`
    UPDATE webhook_endpoint SET status = ${status}, failing_since = CASE WHEN ${status} = 'failing' THEN now() END
    WHERE business_id = ${businessId}`;
  expect(await waits()).toBe(0);

  await world.member({}, everywhere);
  await world.sql`UPDATE event SET recorded_at = now() - interval '1000 seconds' WHERE business_id = ${businessId}`;
  expect(Math.floor((await waits()) / 1000)).toBe(1);
  await setStatus("failing");
  expect(await waits()).toBe(0);
  await setStatus("enabled");
  await world.sql`UPDATE integration SET enabled = false WHERE integration_id = ${integrationId}`;
  expect(await waits()).toBe(0);
  await world.sql`UPDATE integration SET enabled = true, scopes = '{}' WHERE integration_id = ${integrationId}`;
  expect(await waits()).toBe(0);
  await world.sql`UPDATE integration SET scopes = '{wa.webhooks.write}' WHERE integration_id = ${integrationId}`;
  expect(Math.floor((await waits()) / 1000)).toBe(1);

  const { cursor_event_no } = await endpointOf(world.sql, endpoint);
  await world.sql`UPDATE webhook_endpoint SET cursor_event_no = cursor_event_no + 1 WHERE business_id = ${businessId}`;
  expect(await waits()).toBe(0);
  const retry = (seconds: number) => world.sql`
    INSERT INTO webhook_retry (business_id, endpoint_id, event_no, due_at)
    VALUES (${businessId}, ${endpoint.endpointId}, ${cursor_event_no + seconds}, now() + make_interval(secs => ${seconds}))`;
  await retry(3600);
  expect(await waits()).toBe(0);
  await world.sql`UPDATE webhook_retry SET due_at = now() - interval '2000 seconds' WHERE business_id = ${businessId}`;
  expect(Math.floor((await waits()) / 1000)).toBe(2);
});
