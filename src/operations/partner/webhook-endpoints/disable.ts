import { writeOperation } from "../../../contract/declare.ts";
import { disableEndpoint, findEndpoint, lockEndpoint } from "../../../database/webhooks/endpoints.ts";
import {
  auditedEndpoint,
  endpointId,
  ownerOf,
  webhookEndpoint,
  webhookScope,
} from "../../events/webhooks.ts";

export const disableWebhookEndpoint = writeOperation({
  path: "/sp/webhook-endpoints/disable",
  scope: webhookScope,
  event: "webhook_endpoint.disabled",
  summary: "Disable a webhook endpoint",
  message: "Webhook endpoint disabled.",
  description:
    "Sends no more events to the endpoint. When you enable it again, you choose whether to continue where it stopped. Events are " +
    "kept for some time only.",
  confirm: "The endpoint gets no events until you enable it again. Then you choose where it continues.",
  operator: { role: "manager" },
  input: { endpoint_id: endpointId },
  output: webhookEndpoint,
  errors: ["webhook_endpoint_not_found"],
  async write({ input: { endpoint_id }, tx, caller, audit, reject }) {
    const owner = ownerOf(caller);
    const before = await lockEndpoint(tx, owner, endpoint_id);
    if (before === undefined) return reject("webhook_endpoint_not_found");
    await disableEndpoint(tx, owner.businessId, endpoint_id);
    const after = await findEndpoint(tx, owner, endpoint_id);
    if (after === undefined) return reject("webhook_endpoint_not_found");
    audit({ before: auditedEndpoint(before), after: auditedEndpoint(after) });
    return after;
  },
});
