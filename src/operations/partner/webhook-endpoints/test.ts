import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { insertTest } from "../../../database/webhooks/deliveries.ts";
import { lockEndpoint, wakeEndpoint } from "../../../database/webhooks/endpoints.ts";
import { endpointId, eventType, ownerOf, webhookScope } from "../../events/webhooks.ts";

export const testWebhookEndpoint = writeOperation({
  path: "/sp/webhook-endpoints/test",
  scope: webhookScope,
  event: "webhook_endpoint.tested",
  summary: "Test a webhook endpoint",
  description:
    "Sends an example of an event to the endpoint within seconds, once, also if the endpoint is disabled. Its webhook-id begins with " +
    "evt_test_, and it is not in the log of events. The response is in the list of deliveries, with the kind test.",
  operator: { role: "manager" },
  message: "The test is sent within seconds.",
  input: { endpoint_id: endpointId, type: eventType },
  output: Type.Object({
    endpoint_id: endpointId,
    type: eventType,
    queued: fields.flag("Always true.", true),
  }),
  errors: ["webhook_endpoint_not_found"],
  async write({ input: { endpoint_id, type }, tx, caller, audit, reject }) {
    const endpoint = await lockEndpoint(tx, ownerOf(caller), endpoint_id);
    if (endpoint === undefined) return reject("webhook_endpoint_not_found");
    await insertTest(tx, caller.businessId, endpoint_id, type);
    await wakeEndpoint(tx, caller.businessId, endpoint_id);
    audit({ before: { endpoint_id }, after: { endpoint_id, type } });
    return { endpoint_id, type, queued: true };
  },
});
