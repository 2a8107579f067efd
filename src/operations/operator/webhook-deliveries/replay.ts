import { replayWebhookDeliveries } from "../../partner/webhook-deliveries/replay.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const replayWebhookDeliveriesForOperator = webhooksForOperators(
  replayWebhookDeliveries,
  "/op/webhook-deliveries/replay",
);
