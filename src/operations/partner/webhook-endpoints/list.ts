import { listOperation } from "../../../contract/declare.ts";
import { listEndpoints } from "../../../database/webhooks/endpoints.ts";
import { ownerOf, webhookEndpoint, webhookScope } from "../../events/webhooks.ts";

export const listWebhookEndpoints = listOperation({
  path: "/sp/webhook-endpoints/list",
  scope: webhookScope,
  summary: "List webhook endpoints",
  message: "Webhook endpoints listed.",
  description: "Lists webhook endpoints, newest first, with what is not delivered yet.",
  operator: { role: "viewer" },
  columns: ["endpoint_id", "status", "behind", "waiting", "url", "types", "last_error"],
  input: {},
  output: webhookEndpoint,
  list: ({ sql, caller, page }) => listEndpoints(sql, ownerOf(caller), page),
});
