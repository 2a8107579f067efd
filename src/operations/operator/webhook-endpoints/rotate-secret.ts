import { rotateWebhookSecret } from "../../partner/webhook-endpoints/rotate-secret.ts";
import { webhooksForOperators } from "../../webhooks.ts";

export const rotateWebhookSecretForOperator = webhooksForOperators(
  rotateWebhookSecret,
  "/op/webhook-endpoints/rotate-secret",
);
