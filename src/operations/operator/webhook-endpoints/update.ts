import { updateWebhookEndpoint } from "../../partner/webhook-endpoints/update.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const updateWebhookEndpointForOperator = webhooksForOperators(
  updateWebhookEndpoint,
  "/op/webhook-endpoints/update",
);
