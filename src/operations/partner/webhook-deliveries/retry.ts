import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { findEventFor, insertRetry } from "../../../database/webhooks/deliveries.ts";
import { lockEndpoint, wakeEndpoint } from "../../../database/webhooks/endpoints.ts";
import { checkLocation } from "../../../domain/access/access.ts";
import { namesOf } from "../../../domain/events.ts";
import { endpointId, eventNumber, ownerOf, webhookScope } from "../../events/webhooks.ts";

export const retryWebhookDelivery = writeOperation({
  path: "/sp/webhook-deliveries/retry",
  scope: webhookScope,
  event: "webhook_delivery.retried",
  summary: "Retry a webhook delivery",
  description:
    "Sends an event to an endpoint again within seconds, also if it was delivered before. A failing endpoint is tried at once. The " +
    "response is in the list of deliveries.",
  operator: { role: "manager" },
  message: "The event is sent within seconds.",
  input: { endpoint_id: endpointId, event_no: eventNumber },
  output: Type.Object({
    endpoint_id: endpointId,
    event_no: eventNumber,
    queued: fields.flag("Always true.", true),
  }),
  errors: [
    "webhook_endpoint_not_found",
    "webhook_endpoint_disabled",
    "event_not_found",
    "sp_location_not_allowed",
  ],
  async write({ input: { endpoint_id, event_no }, tx, caller, audit, reject }) {
    const { businessId } = caller;
    const endpoint = await lockEndpoint(tx, ownerOf(caller), endpoint_id);
    if (endpoint === undefined) return reject("webhook_endpoint_not_found");
    if (endpoint.status === "disabled") return reject("webhook_endpoint_disabled");
    const event = await findEventFor(tx, caller, endpoint, namesOf(endpoint.types), event_no);
    if (event === undefined) return reject("event_not_found");
    const elsewhere = checkLocation(caller.locations, event.location_id);
    if (elsewhere !== undefined) return elsewhere;
    if (!event.wanted) return reject("event_not_found");
    // The sender drops it if it has not sent the event yet.
    await insertRetry(tx, businessId, endpoint_id, event_no);
    await wakeEndpoint(tx, businessId, endpoint_id);
    audit({ before: { endpoint_id }, after: { endpoint_id, event_no } });
    return { endpoint_id, event_no, queued: true };
  },
});
