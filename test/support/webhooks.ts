/** Webhook endpoints of a test, and the bodies that their receivers got. */
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import { deriveKeys, placeOfEndpoint } from "../../src/credentials/keys.ts";
import type { Database } from "../../src/database/connection.ts";
import type { Received } from "./receiver.ts";
import { type EndpointFields, type StoredEndpoint, storeEndpoint } from "./webhook-endpoints.ts";
import { testSecret } from "./world.ts";

export { type EndpointFields, newWebhookSecret } from "./webhook-endpoints.ts";
export type TestEndpoint = StoredEndpoint;

const keys = deriveKeys(testSecret);

/** Makes an endpoint that gets the events from now on, and switches events on. */
export const makeEndpoint = (sql: Database, businessId: number, url: string, fields?: EndpointFields) =>
  storeEndpoint(sql, testSecret, { businessId, url }, fields);

export async function addSecret(
  sql: Database,
  { businessId, endpointId }: TestEndpoint,
  secret: string,
): Promise<void> {
  await sql`
    INSERT INTO webhook_secret (business_id, endpoint_id, sealed)
    VALUES (${businessId}, ${endpointId}, ${keys.seal(secret, placeOfEndpoint(endpointId))})`;
}

/** Verifies a delivery as a partner does, over the bytes that arrived. @returns its event */
export function verified({ body, headers }: Received, secret: string) {
  const event = new Webhook(secret).verify(body, headers as Record<string, string>);
  // biome-ignore lint/suspicious/noExplicitAny: each type has its own fields
  return event as { readonly type: string; readonly timestamp: string; readonly data: any };
}

export async function endpointOf(sql: Database, { businessId, endpointId }: TestEndpoint) {
  const [row] = await sql<
    {
      status: string;
      disabled_reason: string | null;
      failures: number;
      cursor_event_no: number;
      leased_by: string | null;
      due_seconds: number | null;
    }[]
  >`
    SELECT status, disabled_reason, failures, cursor_event_no, leased_by,
      extract(epoch FROM due_at - now())::float8 AS due_seconds
    FROM webhook_endpoint WHERE business_id = ${businessId} AND endpoint_id = ${endpointId}`;
  return row as NonNullable<typeof row>;
}

export const attemptsOf = (sql: Database, { businessId, endpointId }: TestEndpoint) => sql<
  {
    event_no: number;
    attempt: number;
    kind: string;
    succeeded: boolean;
    response_status: number | null;
    error: string | null;
  }[]
>`
  SELECT event_no, attempt, kind, succeeded, response_status, error FROM webhook_attempt
  WHERE business_id = ${businessId} AND endpoint_id = ${endpointId} ORDER BY attempt_id`;

export const retriesOf = (sql: Database, { businessId, endpointId }: TestEndpoint) => sql<
  { event_no: number; attempts: number; due_seconds: number }[]
>`
  SELECT event_no, attempts, extract(epoch FROM due_at - now())::float8 AS due_seconds FROM webhook_retry
  WHERE business_id = ${businessId} AND endpoint_id = ${endpointId} ORDER BY event_no`;

/** Lets the time come for what waits: probes, retries, and the end of leases whose process is gone. */
export async function letTimePass(
  sql: Database,
  { businessId, endpointId }: TestEndpoint,
  seconds: number,
): Promise<void> {
  await sql`
    UPDATE webhook_endpoint
    SET due_at = due_at - make_interval(secs => ${seconds}), failing_since = failing_since - make_interval(secs => ${seconds})
    WHERE business_id = ${businessId} AND endpoint_id = ${endpointId}`;
  await sql`
    UPDATE webhook_retry SET due_at = due_at - make_interval(secs => ${seconds})
    WHERE business_id = ${businessId} AND endpoint_id = ${endpointId}`;
}

/** Lets time pass until a condition holds. Once may not be enough: an attempt that was under way sets the next time anew. */
export async function letTimePassUntil(
  sql: Database,
  endpoint: TestEndpoint,
  seconds: number,
  condition: () => Promise<boolean>,
): Promise<void> {
  while (!(await condition())) {
    await letTimePass(sql, endpoint, seconds);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits until a condition holds. The time limit of the test ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

export function expectInOrder(sequences: readonly number[]): void {
  expect(sequences).toEqual([...sequences].sort((one, other) => one - other));
}
