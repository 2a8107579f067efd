/** Finds what a probe sends: a request to an endpoint that is failing, or the test of one that is disabled. */
import type { LeasedEndpoint } from "../database/webhooks/leases.ts";
import { chooseProbe } from "../domain/webhooks/endpoint.ts";
import type { EventDelivery, Messages } from "./messages.ts";

const mostRead = 100;

/** A test if there is one. Otherwise one of the next events or the newest. Of an ordered endpoint, it is always the first. */
export async function findProbe(
  { readEvents, readNewest, readOthers }: Pick<Messages, "readEvents" | "readNewest" | "readOthers">,
  endpoint: LeasedEndpoint,
): Promise<EventDelivery | undefined> {
  const [test] = await readOthers(endpoint, "tests", 1);
  if (test !== undefined || endpoint.status === "disabled") return test;
  const limit = endpoint.ordered ? 1 : mostRead;
  let after = endpoint.cursor_event_no;
  for (let hasMore = true; hasMore; ) {
    const batch = await readEvents(endpoint, after, limit);
    if (batch.deliveries.length > 0) {
      const newest = endpoint.ordered ? undefined : await readNewest(endpoint);
      return chooseProbe(batch.deliveries, newest, endpoint.failures);
    }
    after = batch.readTo;
    hasMore = batch.hasMore;
  }
  const others = (await readOthers(endpoint, "probe", limit)).filter(({ body }) => body !== undefined);
  return others[endpoint.failures % Math.max(1, others.length)];
}
