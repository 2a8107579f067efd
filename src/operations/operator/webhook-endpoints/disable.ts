import { disableWebhookEndpoint } from "../../partner/webhook-endpoints/disable.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const disableWebhookEndpointForOperator = webhooksForOperators(
  disableWebhookEndpoint,
  "/op/webhook-endpoints/disable",
);
