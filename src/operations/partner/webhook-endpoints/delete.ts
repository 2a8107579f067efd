import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { deleteEndpoint, lockEndpoint } from "../../../database/webhooks/endpoints.ts";
import { auditedEndpoint, endpointId, ownerOf, webhookScope } from "../../events/webhooks.ts";

export const deleteWebhookEndpoint = writeOperation({
  path: "/sp/webhook-endpoints/delete",
  scope: webhookScope,
  event: "webhook_endpoint.deleted",
  summary: "Delete a webhook endpoint",
  message: "Webhook endpoint deleted.",
  description:
    "Deletes an endpoint with its secret. Events that were not delivered yet are not sent any more. You can't undo this; disable " +
    "the endpoint instead if you may need it again.",
  operator: { role: "manager", sensitive: true },
  confirm: "This can't be undone.",
  input: { endpoint_id: endpointId },
  output: Type.Object({ endpoint_id: endpointId, deleted: fields.flag("Always true.", true) }),
  errors: ["webhook_endpoint_not_found"],
  async write({ input: { endpoint_id }, tx, caller, audit, reject }) {
    const before = await lockEndpoint(tx, ownerOf(caller), endpoint_id);
    if (before === undefined) return reject("webhook_endpoint_not_found");
    await deleteEndpoint(tx, caller.businessId, endpoint_id);
    audit({ before: auditedEndpoint(before), after: null });
    return { endpoint_id, deleted: true };
  },
});
