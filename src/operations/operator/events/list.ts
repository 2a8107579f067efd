import { forOperators } from "../../for-operators.ts";
import { listEventsOperation } from "../../partner/events/list.ts";

export const listEventsForOperator = forOperators(listEventsOperation, {
  path: "/op/events/list",
  role: "viewer",
  summary: "List events",
  description:
    "Lists the events of a business after a number, oldest first. To follow the events, send next as after in the next " +
    "request. With before, it lists the newest events first instead; then send next as before, until it is 0. A business has " +
    "events after you switch them on with events_enabled of /op/businesses/update.",
});
