import { fieldError, fields, Type, writeOperation } from "../../../contract/declare.ts";
import { countReplay, findReplayRange, insertReplay } from "../../../database/webhooks/deliveries.ts";
import { findForUse, wakeEndpoint } from "../../../database/webhooks/endpoints.ts";
import { namesOf } from "../../../domain/events.ts";
import { endpointId, eventNumber, ownerOf, webhookScope } from "../../events/webhooks.ts";

/** One replay looks at so many events at most, so that it takes a second at most. */
const mostReplayed = 100_000;

const ofEvent = (which: string) =>
  fields.nullable(eventNumber, `The number of the ${which} event, or null if there is none.`);

export const replayWebhookDeliveries = writeOperation({
  path: "/sp/webhook-deliveries/replay",
  scope: webhookScope,
  event: "webhook_delivery.replayed",
  summary: "Replay webhook deliveries",
  description:
    "Sends the events of a period to an endpoint again: all events of its types, or those that were not delivered. They are sent " +
    "beside new events, with the webhook-id that they had. With dry_run, nothing is sent. A period can have 100000 events, also " +
    "those of other types. To send everything from an event on, enable the endpoint with event_no instead.",
  operator: { role: "manager" },
  message: "Webhook deliveries replayed.",
  input: {
    endpoint_id: endpointId,
    since: fields.sandboxTime("The time since which events were recorded."),
    until: Type.Optional({
      ...fields.sandboxTime("The time before which events were recorded; by default, now."),
      examples: ["2027-01-02"],
    }),
    only_failed: fields.option("Whether to send only events whose attempts all failed."),
    dry_run: fields.option("Whether to count the events without sending them."),
  },
  output: Type.Object({
    endpoint_id: endpointId,
    events: fields.count("The number of events.", 41),
    first_event_no: ofEvent("first"),
    last_event_no: ofEvent("last"),
  }),
  errors: ["webhook_endpoint_not_found", "webhook_endpoint_disabled", "validation_failed"],
  check: ({ since, until }) =>
    since !== undefined && until !== undefined && until <= since
      ? [fieldError("until", "out_of_range", "must be after since")]
      : [],
  async write({ input, tx, caller, audit, reject }) {
    const { endpoint_id, since, until, only_failed: onlyFailed = false, dry_run = false } = input;
    const { businessId } = caller;
    const endpoint = await findForUse(tx, ownerOf(caller), endpoint_id);
    if (endpoint === undefined) return reject("webhook_endpoint_not_found");
    if (endpoint.status === "disabled") return reject("webhook_endpoint_disabled");
    const range = await findReplayRange(tx, caller, endpoint, { since, until });
    if (range.last - range.first >= mostReplayed) {
      const problem = `must be later: the period has ${range.last - range.first + 1} events, and a replay looks at ${mostReplayed} at most`;
      return reject("validation_failed", { errors: [fieldError("since", "out_of_range", problem)] });
    }
    const wanted = { ...range, names: namesOf(endpoint.types), onlyFailed };
    const replayed = await countReplay(tx, businessId, endpoint, wanted);
    if (!dry_run) {
      await insertReplay(tx, businessId, endpoint, wanted);
      await wakeEndpoint(tx, businessId, endpoint_id);
    }
    audit({
      before: { endpoint_id },
      after: dry_run ? { endpoint_id } : { endpoint_id, since, until, ...replayed },
    });
    return { endpoint_id, ...replayed };
  },
});
