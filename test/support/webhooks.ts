/** Webhook endpoints of a test, and the bodies that their receivers got. */
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import { deriveKeys, placeOfEndpoint } from "../../src/credentials/keys.ts";
import type { Database } from "../../src/database/connection.ts";
import { setEventsEnabled } from "../../src/database/events.ts";
import type { Received } from "./receiver.ts";
import { testSecret } from "./world.ts";

const keys = deriveKeys(testSecret);
export const newWebhookSecret = () => `whsec_${randomBytes(24).toString("base64")}`;

export interface TestEndpoint {
  readonly businessId: number;
  readonly endpointId: number;
  readonly secret: string;
}

export interface EndpointFields {
  readonly types?: readonly string[];
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly max_in_flight?: number;
  readonly ordered?: boolean;
  readonly integrationId?: number;
}

/** Makes an endpoint that gets the events from now on, and switches events on. */
export async function makeEndpoint(
  sql: Database,
  businessId: number,
  url: string,
  { types = ["*"], headers, max_in_flight = 8, ordered = false, integrationId }: EndpointFields = {},
): Promise<TestEndpoint> {
  const secret = newWebhookSecret();
  const endpointId = await sql.begin(async (tx) => {
    const [ledger] = await tx<{ events_enabled: boolean }[]>`
      SELECT events_enabled FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
    if (ledger?.events_enabled !== true) await setEventsEnabled(tx, businessId, true);
    const [row] = await tx<{ endpoint_id: number }[]>`
      INSERT INTO webhook_endpoint (business_id, integration_id, url, types, max_in_flight, ordered, cursor_event_no)
      SELECT business_id, ${integrationId ?? null}, ${url}, ${types}::text[], ${max_in_flight}, ${ordered}, last_event_no
      FROM event_head WHERE business_id = ${businessId} RETURNING endpoint_id`;
    const id = row?.endpoint_id as number;
    const sealed = headers === undefined ? null : keys.seal(JSON.stringify(headers), placeOfEndpoint(id));
    await tx`
      UPDATE webhook_endpoint SET headers = ${sealed} WHERE business_id = ${businessId} AND endpoint_id = ${id}`;
    return id;
  });
  const endpoint = { businessId, endpointId, secret };
  await addSecret(sql, endpoint, secret);
  return endpoint;
}

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

/** Waits until a condition holds. The time limit of the test ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

export function expectInOrder(sequences: readonly number[]): void {
  expect(sequences).toEqual([...sequences].sort((one, other) => one - other));
}
