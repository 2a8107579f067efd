import { enableWebhookEndpoint } from "../../partner/webhook-endpoints/enable.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const enableWebhookEndpointForOperator = webhooksForOperators(
  enableWebhookEndpoint,
  "/op/webhook-endpoints/enable",
);
