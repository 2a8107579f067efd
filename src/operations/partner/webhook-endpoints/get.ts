import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findBacklog } from "../../../database/webhooks/deliveries.ts";
import { findEndpoint, findForUse, listWebhookSecrets } from "../../../database/webhooks/endpoints.ts";
import { namesOf } from "../../../domain/events.ts";
import { secretTimes } from "../../access/integrations.ts";
import { endpointId, ownerOf, webhookEndpoint, webhookScope } from "../../events/webhooks.ts";

export const getWebhookEndpoint = readOperation({
  path: "/sp/webhook-endpoints/get",
  scope: webhookScope,
  summary: "Get a webhook endpoint",
  message: "Webhook endpoint found.",
  description:
    "Returns one endpoint, with what is not delivered yet and how many of the last attempts failed.",
  operator: { role: "viewer" },
  input: { endpoint_id: endpointId },
  output: Type.Object({
    ...webhookEndpoint.properties,
    undelivered: fields.count(
      "How many events of its types are not delivered yet. More than 10000 are not counted.",
      0,
    ),
    oldest_undelivered_at: fields.nullable(
      fields.timestamp,
      "The time of the oldest event that is not delivered yet, or null.",
    ),
    oldest_undelivered_seconds: fields.nullable(
      fields.count("Its age.", 40),
      "The age of the oldest event that is not delivered yet, in seconds, or null.",
    ),
    next_attempt_at: fields.nullable(
      fields.timestamp,
      "The time of the next attempt of an event that failed, or null.",
    ),
    recent_attempts: fields.count("The attempts of the last 24 hours, but at most the last 1000.", 210),
    recent_failures: fields.count("How many of these attempts failed.", 3),
    secrets: secretTimes,
  }),
  errors: ["webhook_endpoint_not_found"],
  async read({ sql, caller, input: { endpoint_id }, reject }) {
    const owner = ownerOf(caller);
    const found = await findEndpoint(sql, owner, endpoint_id);
    const use = await findForUse(sql, owner, endpoint_id);
    if (found === undefined || use === undefined) return reject("webhook_endpoint_not_found");
    const backlog = await findBacklog(sql, owner, use, namesOf(use.types));
    return { ...found, ...backlog, secrets: [...(await listWebhookSecrets(sql, owner, endpoint_id))] };
  },
});
