import { getWebhookDelivery } from "../../partner/webhook-deliveries/get.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const getWebhookDeliveryForOperator = webhooksForOperators(
  getWebhookDelivery,
  "/op/webhook-deliveries/get",
);
