import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { listAttempts } from "../../../database/webhooks/deliveries.ts";
import { findForUse } from "../../../database/webhooks/endpoints.ts";
import { delivery, deliveryStatus, endpointId, ownerOf, webhookScope } from "../../events/webhooks.ts";

const mostDeliveries = 100;

const place = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 40,
    pattern: "^\\d{1,17}\\.\\d{1,16}$",
    description,
    examples: ["1776410999123456.812"],
  });

export const listWebhookDeliveries = readOperation({
  path: "/sp/webhook-deliveries/list",
  scope: webhookScope,
  summary: "List webhook deliveries",
  description:
    "Lists the attempts to send events to an endpoint, newest first. Attempts that succeeded are kept for 7 days, and others for 30 " +
    "days with the success that followed. For older attempts, send next as before in the next request.",
  operator: { role: "viewer" },
  message: "Webhook deliveries listed.",
  columns: [
    "started_at",
    "event_no",
    "type",
    "status",
    "response_status",
    "error",
    "attempt",
    "kind",
    "milliseconds",
  ],
  input: {
    endpoint_id: endpointId,
    status: Type.Optional(deliveryStatus),
    since: Type.Optional(fields.sandboxTime("Only attempts since this time.")),
    before: Type.Optional(place("The next of the previous response.")),
    limit: fields.wholeOr(mostDeliveries, 1, mostDeliveries, "The most attempts to list."),
  },
  output: Type.Object({
    deliveries: Type.Array(delivery, {
      maxItems: mostDeliveries,
      description: "The attempts, newest first.",
    }),
    next: fields.nullable(place("The place."), "Where to continue, or null if there are no more."),
  }),
  errors: ["webhook_endpoint_not_found"],
  async read({ sql, services: { lookUps, scans }, caller, input, reject }) {
    const { endpoint_id, status, since, before, limit = mostDeliveries } = input;
    const owner = ownerOf(caller);
    if ((await findForUse(lookUps, owner, endpoint_id)) === undefined)
      return reject("webhook_endpoint_not_found");
    const [micros = "", attempt_id = ""] = before?.split(".") ?? [];
    const behind = before === undefined ? undefined : { micros, attempt_id };
    // A page has up to a hundred bodies of responses.
    const rows = await scans.run(owner.businessId, () =>
      listAttempts(sql, owner, endpoint_id, { status, since, before: behind, limit }),
    );
    const last = rows.length < limit ? undefined : rows.at(-1);
    const next = last === undefined ? null : `${last.micros}.${last.attempt_id}`;
    return { deliveries: rows.map(({ micros: _, attempt_id: __, ...row }) => row), next };
  },
});
