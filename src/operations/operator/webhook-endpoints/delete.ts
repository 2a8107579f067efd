import { deleteWebhookEndpoint } from "../../partner/webhook-endpoints/delete.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const deleteWebhookEndpointForOperator = webhooksForOperators(
  deleteWebhookEndpoint,
  "/op/webhook-endpoints/delete",
);
