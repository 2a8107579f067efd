import { fields, readOperation, type Static, Type } from "../../../contract/declare.ts";
import { findEventFor, listAttemptsOfEvent } from "../../../database/webhooks/deliveries.ts";
import { findForUse } from "../../../database/webhooks/endpoints.ts";
import { checkLocation } from "../../../domain/access/access.ts";
import { eventForPartners, namesOf } from "../../../domain/events.ts";
import { event } from "../../events/events.ts";
import { deliveryAttempt, endpointId, eventNumber, ownerOf, webhookScope } from "../../events/webhooks.ts";

const mostAttempts = 100;
const states = ["delivered", "waiting", "failed", "not_sent"] as const;
type DeliveryState = (typeof states)[number];

export const getWebhookDelivery = readOperation({
  path: "/sp/webhook-deliveries/get",
  scope: webhookScope,
  summary: "Get a webhook delivery",
  message: "Webhook delivery found.",
  description:
    "Returns an event as it is sent to an endpoint, whether it was delivered, and the attempts to send it, newest first.",
  operator: { role: "viewer" },
  input: { endpoint_id: endpointId, event_no: eventNumber },
  output: Type.Object({
    endpoint_id: endpointId,
    event_no: eventNumber,
    status: fields.choice(
      states,
      "waiting: it will be sent. failed: all attempts failed. not_sent: the endpoint does not get it, or its attempts are no longer kept.",
    ),
    next_attempt_at: fields.nullable(fields.timestamp, "The time of the next attempt, or null."),
    event: { ...event, description: "The event." },
    attempts: Type.Array(deliveryAttempt, {
      maxItems: mostAttempts,
      description: "The attempts, newest first.",
    }),
  }),
  errors: ["webhook_endpoint_not_found", "event_not_found", "sp_location_not_allowed"],
  async read({ services: { lookUps }, caller, input: { endpoint_id, event_no }, reject }) {
    const owner = ownerOf(caller);
    const { businessId } = owner;
    const endpoint = await findForUse(lookUps, owner, endpoint_id);
    if (endpoint === undefined) return reject("webhook_endpoint_not_found");
    const found = await findEventFor(lookUps, owner, endpoint, namesOf(endpoint.types), event_no);
    if (found === undefined) return reject("event_not_found");
    const elsewhere = checkLocation(caller.locations, found.location_id);
    if (elsewhere !== undefined) return elsewhere;
    if (!found.visible) return reject("event_not_found");
    const { sandbox, wanted, next_attempt_at } = found;
    const attempts = await listAttemptsOfEvent(lookUps, owner, endpoint_id, event_no, mostAttempts);
    const isAhead = wanted && event_no > endpoint.cursor_event_no;
    const isDelivered = attempts.some(({ status }) => status === "delivered");
    const isWaiting = next_attempt_at !== null || (isAhead && !isDelivered);
    const unsent = attempts.length > 0 ? "failed" : "not_sent";
    const status: DeliveryState = isWaiting ? "waiting" : isDelivered ? "delivered" : unsent;
    return {
      endpoint_id,
      event_no,
      status,
      next_attempt_at,
      event: eventForPartners(
        { business_id: businessId, sandbox, isLimited: endpoint.location_ids !== null },
        found,
      ) as Static<typeof event>,
      attempts: attempts.map(({ event_no: _, type: __, ...attempt }) => attempt),
    };
  },
});
