/** The log of events: adds them, lists them, and deletes old ones. */
import { type NewEvent, partsOfEvent, type RecordedEvent } from "../domain/events.ts";
import type { Connection } from "./connection.ts";
import { ledgerTime } from "./ledger/ledger.ts";
import { type Fragment, fragment, raw, tableOf } from "./sql.ts";

/**
 * Switches the events of a business on or off. An event says that they are on, because changes before it are in no event. The
 * caller holds the ledger's lock, so that each posting is before or after it.
 */
export async function setEventsEnabled(tx: Connection, business_id: number, enabled: boolean): Promise<void> {
  await tx`UPDATE ledger SET events_enabled = ${enabled}, noticed_on = NULL WHERE business_id = ${business_id}`;
  if (!enabled) return;
  await tx`INSERT INTO event_head (business_id) VALUES (${business_id}) ON CONFLICT DO NOTHING`;
  const of = { business_id, occurred_at: null, contact_ids: [], location_id: null };
  await insertEvents(tx, [{ ...of, type: "events.enabled", data: {}, entries: [] }]);
}

export async function isEventsEnabled(tx: Connection, businessId: number): Promise<boolean> {
  const [row] = await tx<{ events_enabled: boolean }[]>`
    SELECT events_enabled FROM ledger WHERE business_id = ${businessId}`;
  return row?.events_enabled === true;
}

/** The number of the last event of a business, or 0. It is never deleted. @param businessId an expression, or a value */
export const lastEventNo = (businessId: Fragment | number) => fragment`coalesce(
  (SELECT max(event_no) FROM event WHERE event.business_id = ${businessId}), 0
)`;

/**
 * Adds events, in their order. They lock the log of the business to the end of the transaction, so they are added before the
 * commit. Statements after the lock see the events of its previous holder.
 */
export async function insertEvents(tx: Connection, events: readonly NewEvent[]): Promise<void> {
  const counts = new Map<number, number>();
  const rows = events.flatMap((event) =>
    partsOfEvent(event).map((part) => {
      const { business_id, type, occurred_at, location_id } = event;
      const position = (counts.get(business_id) ?? 0) + 1;
      counts.set(business_id, position);
      return { business_id, position, type, occurred_at, location_id, ...part };
    }),
  );
  const columns = `business_id bigint, position integer, type text, occurred_at timestamptz, contact_ids bigint[],
    location_id bigint, data text`;
  const heads = fragment`FROM event_head WHERE business_id = ANY (${[...counts.keys()]}::bigint[])`;
  const locked = tx`SELECT ${heads} ORDER BY business_id FOR UPDATE`;
  const inserted = tx`
    WITH head AS MATERIALIZED (
      SELECT business_id, ${lastEventNo(raw("event_head.business_id"))} AS before ${heads}
    )
    INSERT INTO event (business_id, event_no, type, occurred_at, contact_ids, location_id, data)
    SELECT e.business_id, head.before + e.position, e.type, coalesce(e.occurred_at, ${ledgerTime}),
      e.contact_ids::bigint[], e.location_id, e.data::json
    FROM head JOIN ${tableOf("e", rows, columns)} ON e.business_id = head.business_id
    JOIN ledger l ON l.business_id = head.business_id`;
  const [, { count }] = await Promise.all([locked, inserted]);
  if (count !== rows.length) throw new Error("not all events were recorded");
}

export interface EventFilter {
  readonly after?: number | undefined;
  /** Lists the events before this number instead, newest first. */
  readonly before?: number | undefined;
  readonly types?: readonly string[] | undefined;
  readonly contact_id?: number | undefined;
  /** Those of a caller who may not use all locations. It also sees events without a location. */
  readonly locations?: ReadonlySet<number> | undefined;
  readonly limit: number;
}

export interface EventRow extends RecordedEvent {
  /** How long ago it was recorded, in seconds. */
  readonly age: number;
}

interface EventLog {
  readonly enabled: boolean;
  readonly sandbox: boolean;
  /** The numbers of the newest event, and of the oldest that is kept, or that will be the next one. */
  readonly last: number;
  readonly oldest: number;
}

export const eventColumns = fragment`event.event_no, event.type, event.data,
  to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS timestamp,
  extract(epoch FROM clock_timestamp() - recorded_at)::float8 AS age`;

/** How many events a page looks through, so that it takes the same time if few of them match. */
export const eventsRead = 2000;

/** Finds the events after or before a number that match, among the next `eventsRead`; and the state of the log. */
export async function listEvents(
  sql: Connection,
  businessId: number,
  { after, before, types, contact_id, locations, limit }: EventFilter,
): Promise<EventLog & { readonly events: EventRow[] }> {
  const [range, order] =
    before === undefined
      ? [fragment`event_no > log.after AND event_no <= log.after + ${eventsRead}`, fragment``]
      : [fragment`event_no < log.before AND event_no >= log.before - ${eventsRead}`, fragment`DESC`];
  const rows = await sql<(EventLog & EventRow)[]>`
    WITH log AS MATERIALIZED (
      SELECT l.business_id, l.events_enabled AS enabled, l.clock_at IS NOT NULL AS sandbox, h.last_event_no AS last,
        coalesce(first.event_no, h.last_event_no + 1) AS oldest, coalesce(${after ?? null}::bigint, first.event_no - 1, h.last_event_no) AS after,
        least(${before ?? null}::bigint, h.last_event_no + 1) AS before
      FROM ledger l
      CROSS JOIN LATERAL (
        SELECT ${lastEventNo(raw("l.business_id"))} AS last_event_no
      ) AS h
      LEFT JOIN LATERAL (
        SELECT event_no FROM event WHERE business_id = l.business_id ORDER BY business_id, event_no LIMIT 1
      ) AS first ON true
      WHERE l.business_id = ${businessId}
    )
    SELECT log.enabled, log.sandbox, log.last, log.oldest, e.*
    FROM log LEFT JOIN LATERAL (
      SELECT ${eventColumns} FROM event
      WHERE business_id = log.business_id AND ${range}
        ${types === undefined ? fragment`` : fragment`AND type = ANY (${types}::text[])`}
        ${contact_id === undefined ? fragment`` : fragment`AND ${contact_id}::bigint = ANY (contact_ids)`}
        ${locations === undefined ? fragment`` : fragment`AND (location_id IS NULL OR location_id = ANY (${[...locations]}::bigint[]))`}
      ORDER BY business_id ${order}, event_no ${order} LIMIT ${limit}
    ) AS e ON true
    ORDER BY e.event_no ${order}`;
  const [first] = rows;
  if (first === undefined) throw new Error(`business ${businessId} has no ledger`);
  const { enabled, sandbox, last, oldest } = first;
  return { enabled, sandbox, last, oldest, events: rows.filter(({ event_no }) => event_no !== null) };
}

/** Deletes up to `limit` of a business's events that are older than so many days, oldest first, but not the last. @returns how many were deleted */
export async function sweepEvents(
  sql: Connection,
  businessId: number,
  days: number,
  limit: number,
): Promise<number> {
  const isOld = fragment`recorded_at < now() - make_interval(days => ${days})`;
  // Events are deleted up to the first one that is kept, so that no gap remains.
  const result = await sql`
    WITH oldest AS MATERIALIZED (
      SELECT business_id, event_no, ${isOld} AND event_no < ${lastEventNo(businessId)} AS is_old FROM event WHERE business_id = ${businessId}
      ORDER BY business_id, event_no LIMIT ${limit}
    )
    DELETE FROM event WHERE business_id = ${businessId} AND event_no = ANY (ARRAY(
      SELECT event_no FROM oldest
      WHERE event_no < coalesce((SELECT min(event_no) FROM oldest WHERE NOT is_old), event_no + 1)
    ))`;
  return result.count;
}
