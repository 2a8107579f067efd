import { listWebhookDeliveries } from "../../partner/webhook-deliveries/list.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const listWebhookDeliveriesForOperator = webhooksForOperators(
  listWebhookDeliveries,
  "/op/webhook-deliveries/list",
);
