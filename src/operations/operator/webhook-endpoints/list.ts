import { listWebhookEndpoints } from "../../partner/webhook-endpoints/list.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const listWebhookEndpointsForOperator = webhooksForOperators(
  listWebhookEndpoints,
  "/op/webhook-endpoints/list",
);
