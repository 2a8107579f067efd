import { retryWebhookDelivery } from "../../partner/webhook-deliveries/retry.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const retryWebhookDeliveryForOperator = webhooksForOperators(
  retryWebhookDelivery,
  "/op/webhook-deliveries/retry",
);
