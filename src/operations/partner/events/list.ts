import { fieldError, fields, readOperation, Type } from "../../../contract/declare.ts";
import { eventsRead, listEvents } from "../../../database/events.ts";
import { eventForPartners, namesOf } from "../../../domain/events.ts";
import { event, eventNo, eventTypesFilter, type ListedEvent, mostEvents } from "../../events/events.ts";

export const listEventsOperation = readOperation({
  path: "/sp/events/list",
  scope: "wa.events.read",
  summary: "List events",
  description:
    "Lists the events after a number, oldest first. To follow the events, send next as after in the next request. While next " +
    "is less than last, there are more events. With before, it lists the newest events first instead; then send next as before, " +
    "until it is 0. A page can have no events and more behind it, because it looks through a limited number of events. An " +
    "integration limited to some locations sees the events of these locations and the events without a location.",
  operator: {
    role: "viewer",
    description:
      "Lists the events of a business after a number, oldest first. To follow the events, send next as after in the next " +
      "request. With before, it lists the newest events first instead; then send next as before, until it is 0. A business has " +
      "events after you switch them on with events_enabled of /op/businesses/update.",
  },
  message: "Events listed.",
  input: {
    after: Type.Optional(
      fields.count(
        "The number of the last event that you know; by default, that before the oldest one that is kept.",
        1045,
      ),
    ),
    before: Type.Optional(
      fields.count(
        "Lists the events before this number, newest first. A number after the newest event begins with the newest one.",
        1045,
      ),
    ),
    types: eventTypesFilter,
    contact_id: Type.Optional(fields.contactId),
    limit: fields.wholeOr(mostEvents, 1, mostEvents, "The most events to list."),
  },
  onlyOneOf: ["after", "before"],
  output: Type.Object({
    events: Type.Array(event, {
      maxItems: mostEvents,
      description: "The events, oldest first, or newest first with before.",
    }),
    next: {
      ...eventNo,
      description:
        "The number after which to continue; with before, the number before which to continue, or 0.",
    },
    last: { ...eventNo, description: "The number of the newest event; 0 before the first." },
    enabled: fields.flag(
      "Whether events are being recorded. The operator of the service switches them on.",
      true,
    ),
  }),
  errors: ["events_expired", "validation_failed"],
  async read({ services: { lookUps }, caller: { businessId, locations }, input, reject }) {
    const { after, before, types, contact_id, limit = mostEvents } = input;
    const found = await listEvents(lookUps, businessId, {
      after,
      before,
      contact_id,
      limit,
      types: types && namesOf(types),
      locations: locations.everywhere ? undefined : locations.ids,
    });
    const { oldest, last, enabled, sandbox, events } = found;
    const first = after ?? oldest - 1;
    if (first < oldest - 1) return reject("events_expired", { oldest });
    if (first > last) {
      const problem = `must not be after the newest event, ${last}`;
      return reject("validation_failed", { errors: [fieldError("after", "out_of_range", problem)] });
    }
    const seen =
      before === undefined
        ? Math.min(first + eventsRead, last)
        : Math.max(Math.min(before, last + 1) - eventsRead, 0);
    const end = events.length < limit ? seen : (events.at(-1)?.event_no ?? seen);
    const next = before !== undefined && end <= oldest ? 0 : end;
    const reader = { business_id: businessId, sandbox, isLimited: !locations.everywhere };
    const listed = events.map((row) => eventForPartners(reader, row) as ListedEvent);
    return { events: listed, next, last, enabled };
  },
});
