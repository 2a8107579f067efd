/** Webhook endpoints: where events are sent. The sender's statements are in leases.ts and attempts.ts. */
import type { Connection } from "../connection.ts";

/** Deletes the endpoints of an integration, with their secrets and retries. Their attempts are swept later. */
export function deleteEndpointsOf(tx: Connection, businessId: number, integrationId: number) {
  return tx`
    DELETE FROM webhook_endpoint WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
}
