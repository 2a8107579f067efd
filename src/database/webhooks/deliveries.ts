/** What was sent to an endpoint, what still is to be sent, and what is sent again. */

import type { RecordedEvent } from "../../domain/events.ts";
import type { Connection } from "../connection.ts";
import { lastEventNo } from "../events.ts";
import { type BusinessTime, firstInstant, firstRow, requiredRow, wallClock } from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import { eventsOf, type LockedEndpoint, mostCounted } from "./endpoints.ts";

export const attemptKinds = ["delivery", "retry", "probe", "replay", "test"] as const;

export interface AttemptRow {
  /** Null for a test. */
  readonly event_no: number | null;
  /** Null for a test, and when the event is no longer kept. */
  readonly type: string | null;
  readonly kind: (typeof attemptKinds)[number];
  /** Counts the attempts to send the event. */
  readonly attempt: number;
  readonly status: "delivered" | "failed";
  /** Wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly started_at: string;
  readonly milliseconds: number;
  /** Null: there was no response. */
  readonly response_status: number | null;
  readonly error: string | null;
  readonly response_body: string | null;
}

/** The place of an attempt in the list. */
export interface AttemptPlace {
  /** Microseconds since the epoch. */
  readonly micros: string;
  readonly attempt_id: string;
}

const attemptColumns = (timeZone: string) => fragment`
  nullif(a.event_no, 0) AS event_no, v.type, a.kind, a.attempt,
  CASE WHEN a.succeeded THEN 'delivered' ELSE 'failed' END AS status,
  ${wallClock("a.started_at", timeZone)} AS started_at, a.milliseconds, a.response_status, a.error, a.response_body`;

const withEvent = fragment`LEFT JOIN event v ON v.business_id = a.business_id AND v.event_no = a.event_no`;

export interface AttemptFilter {
  readonly status?: AttemptRow["status"] | undefined;
  /** Wall-clock time of the business. */
  readonly since?: string | undefined;
  /** Only attempts behind this place. */
  readonly before?: AttemptPlace | undefined;
  readonly limit: number;
}

/** The attempts of an endpoint, newest first. */
export function listAttempts(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  endpointId: number,
  { status, since, before, limit }: AttemptFilter,
) {
  const place =
    before &&
    fragment`
    AND (a.started_at, a.attempt_id) <
      ('epoch'::timestamptz + ${before.micros}::bigint * interval '1 microsecond', ${before.attempt_id}::bigint)`;
  const ofStatus = status === undefined ? fragment`` : fragment`AND a.succeeded = ${status === "delivered"}`;
  const order = raw(
    `${status === undefined ? "" : "a.succeeded DESC, "}a.started_at DESC, a.attempt_id DESC`,
  );
  return sql<(AttemptRow & AttemptPlace)[]>`
    SELECT ${attemptColumns(timeZone)}, (extract(epoch FROM a.started_at) * 1000000)::bigint::text AS micros,
      a.attempt_id::text AS attempt_id
    FROM (
      SELECT * FROM webhook_attempt a
      WHERE a.business_id = ${businessId} AND a.endpoint_id = ${endpointId} ${ofStatus}
        ${since === undefined ? fragment`` : fragment`AND a.started_at >= ${firstInstant(fragment`${since}::text`, fragment`${timeZone}::text`)}`}
        ${place ?? fragment``}
      ORDER BY a.business_id DESC, a.endpoint_id DESC, ${order} LIMIT ${limit}
    ) AS a ${withEvent}
    ORDER BY a.started_at DESC, a.attempt_id DESC`;
}

/** The newest attempts to send one event, newest first. */
export function listAttemptsOfEvent(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  endpointId: number,
  eventNo: number,
  limit: number,
) {
  return sql<AttemptRow[]>`
    SELECT ${attemptColumns(timeZone)} FROM webhook_attempt a ${withEvent}
    WHERE a.business_id = ${businessId} AND a.endpoint_id = ${endpointId} AND a.event_no = ${eventNo}
    ORDER BY a.attempt_id DESC LIMIT ${limit}`;
}

/** The numbers of the newest event, and of the oldest that is kept, or that will be the next one. */
export async function findEventRange(sql: Connection, businessId: number) {
  return requiredRow(sql<{ last: number; oldest: number }[]>`
    SELECT h.last, coalesce(
      (SELECT event_no FROM event WHERE business_id = ${businessId} ORDER BY business_id, event_no LIMIT 1), h.last + 1
    ) AS oldest
    FROM (SELECT ${lastEventNo(businessId)} AS last) AS h`);
}

/** An event that an endpoint may get. */
interface EventForEndpoint extends RecordedEvent {
  readonly sandbox: boolean;
  /** Whether the endpoint gets it, by its types and locations. */
  readonly wanted: boolean;
  /** Whether the endpoint gets the events of its location. */
  readonly visible: boolean;
  readonly location_id: number | null;
  /** When it is sent again, in wall-clock time; null: it does not wait for another attempt. */
  readonly next_attempt_at: string | null;
}

/** @returns undefined when the event is not kept */
export function findEventFor(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  endpoint: LockedEndpoint,
  names: readonly string[],
  eventNo: number,
) {
  return firstRow(sql<EventForEndpoint[]>`
    SELECT v.event_no, v.type, to_char(v.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS timestamp, v.data,
      v.location_id, l.clock_at IS NOT NULL AS sandbox, ${eventsOf(endpoint, names)} AS wanted,
      ${endpoint.location_ids === null ? fragment`true` : fragment`(v.location_id IS NULL OR v.location_id = ANY (${endpoint.location_ids}::bigint[]))`} AS visible,
      (
        SELECT ${wallClock("CASE WHEN e.status = 'failing' THEN greatest(r.due_at, e.due_at) ELSE r.due_at END", timeZone)}
        FROM webhook_retry r JOIN webhook_endpoint e USING (business_id, endpoint_id)
        WHERE r.business_id = v.business_id AND r.endpoint_id = ${endpoint.endpoint_id} AND r.event_no = v.event_no
      ) AS next_attempt_at
    FROM event v JOIN ledger l ON l.business_id = v.business_id
    WHERE v.business_id = ${businessId} AND v.event_no = ${eventNo}`);
}

export interface Backlog {
  /** How many events are not delivered; at most `mostCounted` events after the cursor are looked at. */
  readonly undelivered: number;
  readonly oldest_undelivered_at: string | null;
  readonly oldest_undelivered_seconds: number | null;
  readonly next_attempt_at: string | null;
  /** The last attempts of the last day, at most a thousand, and how many of them failed. */
  readonly recent_attempts: number;
  readonly recent_failures: number;
}

/** What an endpoint has not got yet, and how its last attempts went. */
export function findBacklog(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  endpoint: LockedEndpoint,
  names: readonly string[],
) {
  const { endpoint_id, cursor_event_no } = endpoint;
  return requiredRow(sql<Backlog[]>`
    SELECT ahead.events + retries.events AS undelivered,
      ${wallClock("oldest.at", timeZone)} AS oldest_undelivered_at,
      CASE WHEN oldest.at IS NOT NULL
        THEN greatest(floor(extract(epoch FROM now() - oldest.at)), 0)::bigint END AS oldest_undelivered_seconds,
      ${wallClock("CASE WHEN e.status = 'failing' THEN e.due_at WHEN e.status = 'enabled' THEN retries.next END", timeZone)}
        AS next_attempt_at,
      recent.attempts AS recent_attempts, recent.failures AS recent_failures
    FROM webhook_endpoint e
    CROSS JOIN LATERAL (
      SELECT count(*) AS events, min(v.recorded_at) AS oldest FROM event v
      WHERE v.business_id = e.business_id AND v.event_no > ${cursor_event_no} AND v.event_no <= ${cursor_event_no + mostCounted}
        AND ${eventsOf(endpoint, names)}
    ) AS ahead
    CROSS JOIN LATERAL (
      SELECT count(*) AS events, min(r.due_at) AS next, min(r.event_no) AS first FROM (
        SELECT event_no, due_at FROM webhook_retry
        WHERE business_id = e.business_id AND endpoint_id = e.endpoint_id AND event_no > 0
        ORDER BY business_id, endpoint_id, event_no LIMIT ${mostCounted}
      ) AS r
    ) AS retries
    LEFT JOIN event v ON v.business_id = e.business_id AND v.event_no = retries.first
    CROSS JOIN LATERAL (SELECT least(ahead.oldest, v.recorded_at) AS at) AS oldest
    CROSS JOIN LATERAL (
      SELECT count(*) AS attempts, count(*) FILTER (WHERE NOT succeeded) AS failures FROM (
        SELECT succeeded FROM webhook_attempt
        WHERE business_id = e.business_id AND endpoint_id = e.endpoint_id AND started_at > now() - interval '1 day'
        ORDER BY business_id DESC, endpoint_id DESC, started_at DESC, attempt_id DESC LIMIT 1000
      ) AS newest
    ) AS recent
    WHERE e.business_id = ${businessId} AND e.endpoint_id = ${endpoint_id}`);
}

/** Puts an event into the queue of an endpoint, to be sent now. */
export function insertRetry(tx: Connection, businessId: number, endpointId: number, eventNo: number) {
  return tx`
    INSERT INTO webhook_retry (business_id, endpoint_id, event_no) VALUES (${businessId}, ${endpointId}, ${eventNo})
    ON CONFLICT (business_id, endpoint_id, event_no) DO UPDATE SET due_at = now()`;
}

/** Puts a test into the queue of an endpoint. An earlier one that was not sent yet is replaced. */
export function insertTest(tx: Connection, businessId: number, endpointId: number, type: string) {
  return tx`
    INSERT INTO webhook_retry (business_id, endpoint_id, event_no, test_type) VALUES (${businessId}, ${endpointId}, 0, ${type})
    ON CONFLICT (business_id, endpoint_id, event_no) DO UPDATE SET test_type = excluded.test_type, due_at = now()`;
}

/**
 * Finds the first event that was recorded at a time or later. Events are numbered in the order in which they are recorded, so a
 * binary search finds it without an index.
 * @returns the number of an event between `first` and `last` + 1
 */
async function firstEventSince(
  sql: Connection,
  businessId: number,
  { first, last }: { readonly first: number; readonly last: number },
  moment: Fragment,
): Promise<number> {
  const { event_no } = await requiredRow(sql<{ event_no: number }[]>`
    WITH RECURSIVE search AS (
      SELECT ${first}::bigint AS low, ${last + 1}::bigint AS high
      UNION ALL
      SELECT CASE WHEN v.recorded_at < moment.at THEN middle.no + 1 ELSE low END,
        CASE WHEN v.recorded_at < moment.at THEN high ELSE middle.no END
      FROM search CROSS JOIN LATERAL (SELECT (low + high) / 2 AS no) AS middle
      CROSS JOIN (SELECT ${moment} AS at) AS moment
      JOIN event v ON v.business_id = ${businessId} AND v.event_no = middle.no
      WHERE low < high
    )
    SELECT max(low) AS event_no FROM search`);
  return event_no;
}

export interface ReplayRange {
  /** The first and the last number to look at. There is none if `last` is less than `first`. */
  readonly first: number;
  readonly last: number;
}

/** The events between two times that an endpoint is done with. @param until undefined: up to now */
export async function findReplayRange(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  { cursor_event_no }: LockedEndpoint,
  { since, until }: { readonly since: string; readonly until: string | undefined },
): Promise<ReplayRange> {
  const { last, oldest } = await findEventRange(sql, businessId);
  const kept = { first: oldest, last };
  const zone = fragment`${timeZone}::text`;
  // Of a time that occurs twice, a period has all events.
  const first = await firstEventSince(sql, businessId, kept, firstInstant(fragment`${since}::text`, zone));
  if (until === undefined) return { first, last: Math.min(last, cursor_event_no) };
  const ends = fragment`${until}::timestamp AT TIME ZONE ${zone}`;
  const end = (await firstEventSince(sql, businessId, kept, ends)) - 1;
  return { first, last: Math.min(end, cursor_event_no) };
}

export interface Replayed {
  readonly events: number;
  readonly first_event_no: number | null;
  readonly last_event_no: number | null;
}

/** Counts the events that a replay sends. @param onlyFailed those that were tried and did not succeed */
export function countReplay(
  sql: Connection,
  businessId: number,
  endpoint: LockedEndpoint,
  wanted: ReplayRange & { readonly names: readonly string[]; readonly onlyFailed: boolean },
) {
  return requiredRow(sql<Replayed[]>`
    SELECT count(*) AS events, min(v.event_no) AS first_event_no, max(v.event_no) AS last_event_no
    ${replayedEvents(businessId, endpoint, wanted)}`);
}

/** Puts the events of a replay into the queue of the endpoint. Events that are there already stay as they are. */
export function insertReplay(
  tx: Connection,
  businessId: number,
  endpoint: LockedEndpoint,
  wanted: ReplayRange & { readonly names: readonly string[]; readonly onlyFailed: boolean },
) {
  return tx`
    INSERT INTO webhook_retry (business_id, endpoint_id, event_no, is_replay)
    SELECT v.business_id, ${endpoint.endpoint_id}, v.event_no, true ${replayedEvents(businessId, endpoint, wanted)}
    ON CONFLICT (business_id, endpoint_id, event_no) DO NOTHING`;
}

function replayedEvents(
  businessId: number,
  endpoint: LockedEndpoint,
  {
    first,
    last,
    names,
    onlyFailed,
  }: ReplayRange & { readonly names: readonly string[]; readonly onlyFailed: boolean },
) {
  const failed = fragment`AND EXISTS (
      SELECT FROM webhook_attempt a
      WHERE a.business_id = v.business_id AND a.endpoint_id = ${endpoint.endpoint_id} AND a.event_no = v.event_no
      HAVING count(*) > 0 AND NOT bool_or(a.succeeded)
    )`;
  return fragment`FROM event v
    WHERE v.business_id = ${businessId} AND v.event_no BETWEEN ${first} AND ${last} AND ${eventsOf(endpoint, names)}
      ${onlyFailed ? failed : fragment``}`;
}
