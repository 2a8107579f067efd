import { type ErrorDefinition, missing } from "./error-definition.ts";
import * as details from "./error-details.ts";

/** The errors of operations on webhooks. */
export const webhookErrors = {
  webhook_endpoint_not_found: missing(
    "webhook endpoint",
    "endpoint_id",
    "See /sp/webhook-endpoints/list. An integration sees only its own endpoints.",
  ),
  event_not_found: missing(
    "event",
    "event_no",
    "Check event_no against /sp/webhook-deliveries/list. Older events are deleted, and an endpoint gets only events of its " +
      "types and of the locations that its integration may use.",
  ),
  too_many_webhook_endpoints: {
    status: 409,
    details: details.endpointLimit,
    message: "There are too many webhook endpoints.",
    cause: "The integration has the most endpoints that it can have. Endpoints of operators count together.",
    remedy: "Delete an endpoint that you no longer need. One endpoint can get events of several types.",
  },
  webhook_endpoint_disabled: {
    status: 409,
    message: "The webhook endpoint is disabled.",
    cause: "Nothing is sent to a disabled endpoint, except for tests.",
    remedy:
      "See disabled_reason in /sp/webhook-endpoints/get, and enable the endpoint with /sp/webhook-endpoints/enable.",
  },
  webhook_endpoint_enabled_recently: {
    status: 409,
    details: details.enabledRecently,
    message: "The webhook endpoint was enabled a short time ago.",
    cause: "An endpoint can be enabled once in five minutes.",
    remedy:
      "Wait for details.retry_after_seconds. Meanwhile, send a test, which also works while the endpoint is disabled.",
  },
} as const satisfies Record<string, ErrorDefinition>;
