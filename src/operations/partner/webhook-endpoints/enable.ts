import { fieldError, fields, Type, writeOperation } from "../../../contract/declare.ts";
import { findEventRange } from "../../../database/webhooks/deliveries.ts";
import {
  deleteRetries,
  enableEndpoint,
  findEndpoint,
  lockEndpoint,
} from "../../../database/webhooks/endpoints.ts";
import {
  auditedEndpoint,
  endpointId,
  eventNumber,
  ownerOf,
  webhookEndpoint,
  webhookScope,
} from "../../events/webhooks.ts";

export const enableWebhookEndpoint = writeOperation({
  path: "/sp/webhook-endpoints/enable",
  scope: webhookScope,
  event: "webhook_endpoint.enabled",
  summary: "Enable a webhook endpoint",
  message: "Webhook endpoint enabled.",
  description:
    "Sends events again: from where it stopped, from now on, or from a number on. It also makes a failing endpoint try again at " +
    "once, and sends earlier events again. An endpoint can be enabled once in five minutes.",
  operator: { role: "manager" },
  input: {
    endpoint_id: endpointId,
    from: Type.Optional(
      fields.choice(
        ["stopped", "now"],
        "stopped: continue after the last event that is done. now: forget the events that were not delivered.",
      ),
    ),
    event_no: Type.Optional({ ...eventNumber, description: "The number of the first event to send." }),
  },
  exactlyOneOf: ["from", "event_no"],
  output: webhookEndpoint,
  errors: [
    "webhook_endpoint_not_found",
    "webhook_endpoint_enabled_recently",
    "events_expired",
    "validation_failed",
  ],
  async write({ input: { endpoint_id, from, event_no }, tx, caller, audit, reject }) {
    const owner = ownerOf(caller);
    const { businessId } = owner;
    const before = await lockEndpoint(tx, owner, endpoint_id);
    if (before === undefined) return reject("webhook_endpoint_not_found");
    const { cursor_event_no, enabled_again_in } = before;
    if (enabled_again_in !== null)
      return reject("webhook_endpoint_enabled_recently", { retry_after_seconds: enabled_again_in });
    const { last, oldest } = await findEventRange(tx, businessId);
    const cursor = event_no === undefined ? (from === "now" ? last : cursor_event_no) : event_no - 1;
    if (cursor < oldest - 1) return reject("events_expired", { oldest });
    if (event_no !== undefined && cursor > last) {
      const problem = `must be at most ${last + 1}, the number of the next event`;
      return reject("validation_failed", { errors: [fieldError("event_no", "out_of_range", problem)] });
    }
    await enableEndpoint(tx, businessId, endpoint_id, cursor);
    if (from !== "stopped") await deleteRetries(tx, businessId, endpoint_id, from === "now" ? 0 : cursor);
    const after = await findEndpoint(tx, owner, endpoint_id);
    if (after === undefined) return reject("webhook_endpoint_not_found");
    audit({
      before: { ...auditedEndpoint(before), event_no: cursor_event_no + 1 },
      after: { ...auditedEndpoint(after), event_no: cursor + 1 },
    });
    return after;
  },
});
