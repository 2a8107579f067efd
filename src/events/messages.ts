/** Reads the events of endpoints, and makes the messages that are sent. */
import { placeOfEndpoint, type ServiceKeys } from "../credentials/keys.ts";
import { signaturesOf } from "../credentials/signature.ts";
import type { Database } from "../database/connection.ts";
import { type EventRow, eventsRead, listEvents } from "../database/events.ts";
import { listWaitingDeliveries, type WaitingDelivery } from "../database/webhooks/attempts.ts";
import type { LeasedEndpoint } from "../database/webhooks/leases.ts";
import { eventForPartners, namesOf } from "../domain/events.ts";
import { FairQueue } from "../domain/fair-queue.ts";
import type { Delivery } from "../domain/webhooks/deliveries.ts";
import { messageId, testId } from "../domain/webhooks/message.ts";
import type { Message } from "./request.ts";

/** A delivery with what it sends. */
export interface EventDelivery extends Delivery {
  readonly id: string;
  /** Of an event after the cursor. */
  readonly type?: string;
  /** Undefined: the event is not kept any more, or the endpoint may not get it. */
  readonly body: string | undefined;
  /** When the event was recorded, in this process's monotonic milliseconds. */
  readonly recordedAt: number;
  /** When a retry, a replay or a test was due, as it is stored. */
  readonly dueAt?: string;
}

/** The numbers of the first and the last of them. */
export interface SkippedEvents {
  readonly first: number;
  readonly last: number;
}

/** The events of an endpoint after a number that it gets, and all up to which they were looked for. */
export interface EventBatch {
  readonly deliveries: readonly EventDelivery[];
  readonly readTo: number;
  /** Whether there may be more after `readTo`. */
  readonly hasMore: boolean;
  /** Events before these that are not kept any more. */
  readonly skipped?: SkippedEvents;
}

/** A secret or the headers can't be decrypted: LOYALTY_SECRET is another one than before. */
export class UnreadableSecretError extends Error {}

export interface MessageParts {
  readonly sql: Database;
  readonly keys: Pick<ServiceKeys, "unseal">;
  /** The event that a test of a type sends. */
  readonly exampleOf: (type: string, timestamp: string) => object;
  /** Named in the header user-agent. */
  readonly version: string;
  /** The time, in milliseconds. */
  readonly now: () => number;
}

/** How many statements read events at the same time, so that many endpoints don't take the connections of requests. */
const readsAtOnce = 3;

/** What is decrypted of an endpoint. */
interface Opened {
  readonly headers: Readonly<Record<string, string>>;
  /** Newest first. `until` is in monotonic milliseconds. */
  readonly secrets: readonly { readonly secret: string; readonly until: number }[];
}

export type Messages = ReturnType<typeof createMessages>;

export function createMessages({ sql, keys, exampleOf, version, now }: MessageParts) {
  const reads = new FairQueue({ atOnce: readsAtOnce });
  /** By the endpoint as it was read, so that a change is decrypted anew. */
  const opened = new WeakMap<LeasedEndpoint["secrets"], Opened>();

  const open = (endpoint: LeasedEndpoint): Opened => {
    const known = opened.get(endpoint.secrets);
    if (known !== undefined) return known;
    const { endpoint_id, headers } = endpoint;
    const unseal = (sealed: string) => keys.unseal(sealed, placeOfEndpoint(endpoint_id));
    try {
      const own: { name: string; value: string }[] = headers === null ? [] : JSON.parse(unseal(headers));
      const made = {
        headers: Object.fromEntries(own.map(({ name, value }) => [name.toLowerCase(), value])),
        secrets: endpoint.secrets.map(({ sealed, seconds }) => ({
          secret: unseal(sealed),
          until: seconds === null ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000,
        })),
      };
      opened.set(endpoint.secrets, made);
      return made;
    } catch (error) {
      throw new UnreadableSecretError("the secrets of an endpoint can't be decrypted", { cause: error });
    }
  };

  /**
   * Reads that wait for their turn, by what they read. Many endpoints of a business read the same events after a commit, and share
   * one read. A read that has begun is not shared, because it may not see what was committed since.
   */
  const waiting = new Map<string, Promise<EventBatch>>();
  const readEvents = (endpoint: LeasedEndpoint, after: number, limit: number): Promise<EventBatch> => {
    const { business_id, types, location_ids } = endpoint;
    const name = JSON.stringify([business_id, types, location_ids, after, limit]);
    const known = waiting.get(name);
    if (known !== undefined) return known;
    let hasBegun = false;
    const read = reads.run(business_id, () => {
      hasBegun = true;
      waiting.delete(name);
      return readBatch(sql, endpoint, after, limit);
    });
    if (!hasBegun) waiting.set(name, read);
    return read;
  };
  /** Reads the newest event that an endpoint gets, unless it is long past. */
  const readNewest = (endpoint: LeasedEndpoint): Promise<EventDelivery | undefined> =>
    reads.run(endpoint.business_id, async () => {
      const newestFirst = { before: Number.MAX_SAFE_INTEGER, limit: 1 };
      const { events, sandbox } = await listEvents(sql, endpoint.business_id, {
        ...filterOf(endpoint),
        ...newestFirst,
      });
      return events.map((row) => firstDelivery(endpoint, sandbox, row))[0];
    });
  const readOthers = (
    endpoint: LeasedEndpoint,
    which: "due" | "probe" | "tests",
    limit: number,
  ): Promise<readonly EventDelivery[]> =>
    reads.run(endpoint.business_id, async () => {
      const { location_ids } = endpoint;
      const rows = await listWaitingDeliveries(sql, endpoint, { location_ids, which, limit });
      return rows.map((row) => deliveryOf(endpoint, row));
    });

  const deliveryOf = (endpoint: LeasedEndpoint, row: WaitingDelivery): EventDelivery => {
    const { event_no, attempts, is_replay, test_type, due_at, sandbox, event } = row;
    const { business_id } = endpoint;
    const of = { event_no, attempts, recordedAt: 0, dueAt: due_at };
    if (test_type !== null) {
      const example = JSON.stringify(exampleOf(test_type, new Date(now()).toISOString()));
      return { ...of, kind: "test", id: testId(now()), body: example };
    }
    const body = event && JSON.stringify(eventForPartners(readerOf(endpoint, sandbox), event));
    return { ...of, kind: is_replay ? "replay" : "retry", id: messageId(business_id, event_no), body };
  };

  const messageOf = (endpoint: LeasedEndpoint, { id, body = "" }: EventDelivery): Message => {
    const { headers, secrets } = open(endpoint);
    const timestamp = Math.floor(now() / 1000);
    const valid = secrets.filter(({ until }) => until > performance.now()).map(({ secret }) => secret);
    return {
      url: endpoint.url,
      body,
      headers: {
        ...headers,
        "content-type": "application/json",
        "user-agent": `loyalty/${version}`,
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signaturesOf(valid, { id, timestamp, body }),
      },
    };
  };
  return { readEvents, readNewest, readOthers, messageOf };
}

const filterOf = ({ types, location_ids }: LeasedEndpoint) => ({
  types: namesOf(types),
  locations: location_ids === null ? undefined : new Set(location_ids),
});

const readerOf = ({ business_id, location_ids }: LeasedEndpoint, sandbox: boolean) => ({
  business_id,
  sandbox,
  isLimited: location_ids !== null,
});

function firstDelivery(endpoint: LeasedEndpoint, sandbox: boolean, row: EventRow): EventDelivery {
  const { business_id } = endpoint;
  const { event_no, type, age } = row;
  return {
    event_no,
    type,
    attempts: 0,
    kind: "delivery",
    id: messageId(business_id, event_no),
    recordedAt: performance.now() - age * 1000,
    body: JSON.stringify(eventForPartners(readerOf(endpoint, sandbox), row)),
  };
}

/** Reads the events after a number that an endpoint gets. */
async function readBatch(
  sql: Database,
  endpoint: LeasedEndpoint,
  after: number,
  limit: number,
): Promise<EventBatch> {
  const filter = { ...filterOf(endpoint), limit };
  const list = (from: number) => listEvents(sql, endpoint.business_id, { ...filter, after: from });
  let start = after;
  let found = await list(start);
  if (start < found.oldest - 1) {
    // The events in between are not kept any more.
    start = found.oldest - 1;
    found = await list(start);
  }
  const { events, last, sandbox } = found;
  const isFull = events.length === limit;
  const readTo = isFull
    ? (events.at(-1)?.event_no as number)
    : Math.max(start, Math.min(start + eventsRead, last));
  const deliveries = events.map((row) => firstDelivery(endpoint, sandbox, row));
  const skipped = start > after ? { first: after + 1, last: start } : undefined;
  return { deliveries, readTo, hasMore: readTo < last, ...(skipped && { skipped }) };
}
