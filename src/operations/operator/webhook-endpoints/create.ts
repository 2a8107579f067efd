import { createWebhookEndpoint } from "../../partner/webhook-endpoints/create.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const createWebhookEndpointForOperator = webhooksForOperators(
  createWebhookEndpoint,
  "/op/webhook-endpoints/create",
);
