import { Type, writeOperation } from "../../../contract/declare.ts";
import { findEndpoint, lockEndpoint, updateEndpoint } from "../../../database/webhooks/endpoints.ts";
import {
  auditedEndpoint,
  checkEndpoint,
  endpointId,
  endpointInput,
  ownerOf,
  sealedHeaders,
  webhookEndpoint,
  webhookScope,
} from "../../events/webhooks.ts";

export const updateWebhookEndpoint = writeOperation({
  path: "/sp/webhook-endpoints/update",
  scope: webhookScope,
  event: "webhook_endpoint.updated",
  summary: "Update a webhook endpoint",
  message: "Webhook endpoint updated.",
  description:
    "Changes an endpoint. Fields that you omit don't change. The headers are replaced as a whole. Events that are being sent " +
    "while you change the endpoint can be sent twice.",
  operator: { role: "manager" },
  input: {
    endpoint_id: endpointId,
    ...endpointInput,
    url: Type.Optional(endpointInput.url),
    types: Type.Optional(endpointInput.types),
  },
  atLeastOne: true,
  output: webhookEndpoint,
  errors: ["webhook_endpoint_not_found"],
  check: checkEndpoint,
  async write({ input: { endpoint_id, headers, ...change }, tx, caller, services, audit, reject }) {
    const owner = ownerOf(caller);
    const before = await lockEndpoint(tx, owner, endpoint_id);
    if (before === undefined) return reject("webhook_endpoint_not_found");
    const sealed = headers && sealedHeaders(services, endpoint_id, headers);
    await updateEndpoint(tx, owner.businessId, endpoint_id, { ...change, ...sealed });
    const after = await findEndpoint(tx, owner, endpoint_id);
    if (after === undefined) return reject("webhook_endpoint_not_found");
    // The values of the headers may have changed.
    audit({
      before: auditedEndpoint(before),
      after: { ...auditedEndpoint(after), ...(headers && { headers: "replaced" }) },
    });
    return after;
  },
});
