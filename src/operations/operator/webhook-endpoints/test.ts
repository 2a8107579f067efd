import { testWebhookEndpoint } from "../../partner/webhook-endpoints/test.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const testWebhookEndpointForOperator = webhooksForOperators(
  testWebhookEndpoint,
  "/op/webhook-endpoints/test",
);
