/** Makes webhook endpoints in the database. */
import { randomBytes } from "node:crypto";
import { deriveKeys, placeOfEndpoint } from "../../src/credentials/keys.ts";
import type { Database } from "../../src/database/connection.ts";
import { lastEventNo, setEventsEnabled } from "../../src/database/events.ts";

export const newWebhookSecret = () => `whsec_${randomBytes(24).toString("base64")}`;

export interface StoredEndpoint {
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

/** Makes an endpoint that gets the events from now on, and switches events on. @param serviceSecret LOYALTY_SECRET */
export async function storeEndpoint(
  sql: Database,
  serviceSecret: string,
  { businessId, url }: { readonly businessId: number; readonly url: string },
  { types = ["*"], headers, max_in_flight = 8, ordered = false, integrationId }: EndpointFields = {},
): Promise<StoredEndpoint> {
  const keys = deriveKeys(serviceSecret);
  const secret = newWebhookSecret();
  const endpointId = await sql.begin(async (tx) => {
    const [ledger] = await tx<{ events_enabled: boolean }[]>`
      SELECT events_enabled FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
    if (ledger?.events_enabled !== true) await setEventsEnabled(tx, businessId, true);
    const [row] = await tx<{ endpoint_id: number }[]>`
      INSERT INTO webhook_endpoint (business_id, integration_id, url, types, max_in_flight, ordered, cursor_event_no)
      VALUES (${businessId}, ${integrationId ?? null}, ${url}, ${types}::text[], ${max_in_flight}, ${ordered},
        ${lastEventNo(businessId)})
      RETURNING endpoint_id`;
    const id = row?.endpoint_id as number;
    const sealed = headers === undefined ? null : keys.seal(JSON.stringify(headers), placeOfEndpoint(id));
    await tx`
      UPDATE webhook_endpoint SET headers = ${sealed} WHERE business_id = ${businessId} AND endpoint_id = ${id}`;
    await tx`
      INSERT INTO webhook_secret (business_id, endpoint_id, sealed)
      VALUES (${businessId}, ${id}, ${keys.seal(secret, placeOfEndpoint(id))})`;
    return id;
  });
  return { businessId, endpointId, secret };
}
