/** What was sent to webhook endpoints, and what is to be sent again. */
import type { RecordedEvent } from "../../domain/events.ts";
import type { DisabledReason, EndpointStatus } from "../../domain/webhooks/endpoint.ts";
import type { Connection } from "../connection.ts";
import { eventColumns } from "../events.ts";
import { fragment, tableOf } from "../sql.ts";
import { type EndpointKey, type LeaseKey, leaseSeconds, mayReceive } from "./leases.ts";

/** A retry, a replay or a test. */
export interface WaitingDelivery {
  readonly event_no: number;
  readonly attempts: number;
  readonly is_replay: boolean;
  readonly test_type: string | null;
  readonly due_at: string;
  readonly sandbox: boolean;
  /** Undefined for a test, and for an event that is not kept any more or that the endpoint may not get. */
  readonly event?: RecordedEvent;
}

/** Finds retries, replays and tests of an endpoint, the first due first. */
export async function listWaitingDeliveries(
  sql: Connection,
  { business_id, endpoint_id }: EndpointKey,
  options: {
    readonly location_ids: readonly number[] | null;
    /** `probe`: also those that are not due. `tests`: only tests. */
    readonly which: "due" | "probe" | "tests";
    readonly limit: number;
  },
): Promise<WaitingDelivery[]> {
  const { location_ids, which, limit } = options;
  const conditions = {
    due: fragment`AND r.due_at <= now()`,
    probe: fragment``,
    tests: fragment`AND r.event_no = 0`,
  };
  type Row = Omit<WaitingDelivery, "event"> & RecordedEvent & { readonly type: string | null };
  const rows = await sql<Row[]>`
    SELECT r.attempts, r.is_replay, r.test_type, r.due_at::text AS due_at, l.clock_at IS NOT NULL AS sandbox, ${eventColumns}, r.event_no
    FROM webhook_retry r
    JOIN ledger l ON l.business_id = r.business_id
    LEFT JOIN event ON event.business_id = r.business_id AND event.event_no = r.event_no
      ${location_ids === null ? fragment`` : fragment`AND (location_id IS NULL OR location_id = ANY (${location_ids}::bigint[]))`}
    WHERE r.business_id = ${business_id} AND r.endpoint_id = ${endpoint_id} ${conditions[which]}
    ORDER BY r.due_at, r.event_no LIMIT ${limit}`;
  return rows.map(({ attempts, is_replay, test_type, due_at, sandbox, ...event }) => {
    const { event_no, type } = event;
    return { event_no, attempts, is_replay, test_type, due_at, sandbox, ...(type !== null && { event }) };
  });
}

export interface NewAttempt {
  readonly event_no: number;
  readonly attempt: number;
  readonly kind: "delivery" | "retry" | "probe" | "replay" | "test";
  /** When it began, in monotonic milliseconds of the process. */
  readonly started_at: number;
  readonly milliseconds: number;
  readonly succeeded: boolean;
  readonly response_status: number | null;
  readonly error: string | null;
  readonly response_body: string | null;
}

export interface NewRetry {
  readonly event_no: number;
  readonly attempts: number;
  readonly due_seconds: number;
}

export interface FinishedRetry {
  readonly event_no: number;
  /** When it was due. If it is due later now, it was requested again meanwhile, and stays. */
  readonly due_at: string | undefined;
}

/** What has happened to an endpoint since it was stored last. */
export interface EndpointProgress extends LeaseKey {
  readonly cursor_event_no: number;
  readonly status: EndpointStatus;
  readonly disabled_reason: DisabledReason | null;
  readonly failures: number;
  /** When it is looked at next, from now on; null when it waits for nothing. */
  readonly due_seconds: number | null;
  readonly is_released: boolean;
  /** Whether its status is another one than before. */
  readonly is_changed: boolean;
  readonly attempts: readonly NewAttempt[];
  readonly retries: readonly NewRetry[];
  /** The events whose retries or replays are done, and 0 if a test is. */
  readonly finished: readonly FinishedRetry[];
}

const keyOf = ({ business_id, endpoint_id }: EndpointKey) => `${business_id} ${endpoint_id}`;

/** Lets the commit of a transaction not wait for the disk. A crash of the database may lose it as a whole. */
export const commitWithoutDisk = (tx: Connection) => tx`SET LOCAL synchronous_commit = off`;

/**
 * Stores the progress of endpoints, and renews their leases. If a lease has ended, the attempts and finished retries under it are
 * stored, and nothing else.
 * @param now in monotonic milliseconds of the process
 * @returns those whose lease had not ended, and whose endpoint may still get events
 */
export async function storeProgress(
  tx: Connection,
  progress: readonly EndpointProgress[],
  now: number,
): Promise<EndpointProgress[]> {
  const locked = await tx<(EndpointKey & { lease: string | null })[]>`
    SELECT e.business_id, e.endpoint_id, CASE WHEN ${mayReceive} THEN e.leased_by END AS lease
    FROM webhook_endpoint e JOIN ${tableOf("key", progress, "business_id bigint, endpoint_id bigint")}
      USING (business_id, endpoint_id)
    ORDER BY e.business_id, e.endpoint_id FOR NO KEY UPDATE OF e`;
  const leases = new Map(locked.map((row) => [keyOf(row), row.lease]));
  const known = progress.filter((one) => leases.has(keyOf(one)));
  const held = known.filter((one) => leases.get(keyOf(one)) === one.lease);
  await Promise.all([
    insertAttempts(tx, known, now),
    deleteFinished(tx, known),
    upsertRetries(tx, held),
    held.length > 0 && updateEndpoints(tx, held),
  ]);
  return held;
}

const withKey = <Item extends object>(
  of: readonly EndpointProgress[],
  items: (one: EndpointProgress) => readonly Item[],
) =>
  of.flatMap((one) => {
    const { business_id, endpoint_id } = one;
    return items(one).map((item) => ({ business_id, endpoint_id, ...item }));
  });

function insertAttempts(tx: Connection, progress: readonly EndpointProgress[], now: number) {
  const rows = withKey(progress, ({ attempts }) => attempts);
  const columns = `business_id bigint, endpoint_id bigint, event_no bigint, attempt smallint, kind text, started_at float8,
    milliseconds integer, succeeded boolean, response_status smallint, error text, response_body text`;
  return (
    rows.length > 0 &&
    tx`
      INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded,
        response_status, error, response_body)
      SELECT business_id, endpoint_id, event_no, attempt, kind, clock_timestamp() - make_interval(secs => (${now} - started_at) / 1000),
        milliseconds, succeeded, response_status, error, response_body
      FROM ${tableOf("added", rows, columns)} ORDER BY nth`
  );
}

function deleteFinished(tx: Connection, progress: readonly EndpointProgress[]) {
  const rows = withKey(progress, ({ finished }) =>
    finished.map(({ event_no, due_at = null }) => ({ event_no, due_at })),
  );
  const columns = "business_id bigint, endpoint_id bigint, event_no bigint, due_at timestamptz";
  return (
    rows.length > 0 &&
    tx`
      DELETE FROM webhook_retry r
      USING ${tableOf("done", rows, columns)}
      WHERE r.business_id = done.business_id AND r.endpoint_id = done.endpoint_id AND r.event_no = done.event_no
        AND r.due_at <= done.due_at`
  );
}

function upsertRetries(tx: Connection, progress: readonly EndpointProgress[]) {
  const rows = withKey(progress, ({ retries }) => retries);
  const columns =
    "business_id bigint, endpoint_id bigint, event_no bigint, attempts smallint, due_seconds float8";
  return (
    rows.length > 0 &&
    tx`
      INSERT INTO webhook_retry (business_id, endpoint_id, event_no, attempts, due_at)
      SELECT business_id, endpoint_id, event_no, attempts, now() + make_interval(secs => due_seconds)
      FROM ${tableOf("failed", rows, columns)}
      ON CONFLICT (business_id, endpoint_id, event_no) DO UPDATE SET attempts = excluded.attempts, due_at = excluded.due_at`
  );
}

function updateEndpoints(tx: Connection, progress: readonly EndpointProgress[]) {
  const rows = progress.map(({ attempts, ...one }) => ({
    ...one,
    succeeded: attempts.some((each) => each.succeeded),
  }));
  const columns = `business_id bigint, endpoint_id bigint, cursor_event_no bigint, status text, disabled_reason text,
    failures integer, due_seconds float8, is_released boolean, succeeded boolean`;
  return tx`
    UPDATE webhook_endpoint e
    SET cursor_event_no = p.cursor_event_no, status = p.status, disabled_reason = p.disabled_reason, failures = p.failures,
      failing_since = CASE WHEN p.status = 'failing' THEN coalesce(e.failing_since, now()) END,
      last_success_at = CASE WHEN p.succeeded THEN now() ELSE e.last_success_at END,
      due_at = now() + make_interval(secs => p.due_seconds),
      leased_by = CASE WHEN NOT p.is_released THEN e.leased_by END,
      leased_until = CASE WHEN NOT p.is_released THEN now() + make_interval(secs => ${leaseSeconds}) END
    FROM ${tableOf("p", rows, columns)}
    WHERE e.business_id = p.business_id AND e.endpoint_id = p.endpoint_id`;
}

/** Lists the endpoints that have attempts, also deleted ones. It reads one index entry for each. */
export async function listAttemptedEndpoints(sql: Connection, businessId: number): Promise<number[]> {
  const rows = await sql<{ endpoint_id: number }[]>`
    WITH RECURSIVE found AS (
      (SELECT endpoint_id FROM webhook_attempt WHERE business_id = ${businessId}
        ORDER BY business_id, endpoint_id LIMIT 1)
      UNION ALL
      SELECT next.endpoint_id FROM found CROSS JOIN LATERAL (
        SELECT endpoint_id FROM webhook_attempt
        WHERE business_id = ${businessId} AND endpoint_id > found.endpoint_id
        ORDER BY business_id, endpoint_id LIMIT 1
      ) AS next
    )
    SELECT endpoint_id FROM found`;
  return rows.map(({ endpoint_id }) => endpoint_id);
}

/**
 * Deletes up to `limit` attempts of an endpoint: failures after 30 days, and successes after 7 days. A success is kept as long as a
 * failure of its event, because without it the event would count as failed.
 * @returns how many were deleted
 */
export async function sweepAttempts(
  sql: Connection,
  { business_id, endpoint_id }: EndpointKey,
  limit: number,
): Promise<number> {
  const result = await sql`
    DELETE FROM webhook_attempt
    WHERE business_id = ${business_id} AND endpoint_id = ${endpoint_id} AND ctid = ANY (ARRAY(
      SELECT ctid FROM webhook_attempt a
      WHERE business_id = ${business_id} AND endpoint_id = ${endpoint_id}
        AND started_at < now() - interval '7 days'
        AND CASE WHEN succeeded THEN (
          SELECT other.event_no FROM webhook_attempt other
          WHERE other.business_id = a.business_id AND other.endpoint_id = a.endpoint_id
            AND other.event_no = a.event_no AND NOT other.succeeded
          ORDER BY other.business_id, other.endpoint_id, other.event_no LIMIT 1
        ) IS NULL ELSE started_at < now() - interval '30 days' END
      ORDER BY business_id, endpoint_id, started_at LIMIT ${limit}
    ))`;
  return result.count;
}
