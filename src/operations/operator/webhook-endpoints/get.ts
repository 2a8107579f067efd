import { getWebhookEndpoint } from "../../partner/webhook-endpoints/get.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const getWebhookEndpointForOperator = webhooksForOperators(
  getWebhookEndpoint,
  "/op/webhook-endpoints/get",
);
