/** The leases of webhook endpoints: one process at a time sends the events of an endpoint. */
import type { DisabledReason, EndpointStatus } from "../../domain/webhooks/endpoint.ts";
import type { Connection } from "../connection.ts";
import { lastEventNo } from "../events.ts";
import { fragment, raw, tableOf } from "../sql.ts";
import type { EndpointSettings } from "./endpoints.ts";

export interface EndpointKey {
  readonly business_id: number;
  readonly endpoint_id: number;
}

/** The lease of an endpoint. Each lease has a name of its own, so that what an earlier one of the same process did is not stored. */
export interface LeaseKey extends EndpointKey {
  readonly lease: string;
}

/** What there is to send. */
export interface WebhookWork {
  readonly has_events: boolean;
  /** Whether a retry, a replay or a test is due. */
  readonly has_others: boolean;
}

/** An endpoint as its sender needs it. */
export interface LeasedEndpoint extends LeaseKey, Omit<EndpointSettings, "description" | "header_names"> {
  readonly status: EndpointStatus;
  readonly disabled_reason: DisabledReason | null;
  readonly failures: number;
  /** For how many seconds it has been failing. */
  readonly failing_seconds: number | null;
  readonly cursor_event_no: number;
  /** Null: all locations. */
  readonly location_ids: readonly number[] | null;
  /** The valid ones, encrypted, newest first; each with the seconds for which it is valid, or null. */
  readonly secrets: readonly {
    readonly secret_id: number;
    readonly sealed: string;
    readonly seconds: number | null;
  }[];
}

/** A process that ends without releasing its leases loses them after this time. */
export const leaseSeconds = 30;

const isFree = fragment`(e.leased_by IS NULL OR e.leased_until < now())`;
/** An integration gets events while it is enabled and may manage webhooks. A business gets none while its writes are rejected. */
export const mayReceive = fragment`(e.integration_id IS NULL OR EXISTS (
  SELECT FROM integration i
  WHERE i.business_id = e.business_id AND i.integration_id = e.integration_id AND i.enabled
    AND 'wa.webhooks.write' = ANY (i.scopes)))
  AND NOT EXISTS (SELECT FROM ledger l WHERE l.business_id = e.business_id AND l.move_state <> 'copying')`;

/** The names of a process's leases begin with the name of the process. */
const leasedBy = (lessee: string) => fragment`starts_with(e.leased_by, ${lessee})`;

export interface FoundWork extends EndpointKey, WebhookWork {
  /** The lease that the process has; null: nobody has one. */
  readonly lease: string | null;
}

/**
 * Finds the endpoints that have something to send, among those without a lease and those of a process. This is the statement that
 * every process repeats. It reads a few index entries for each endpoint, and nothing of a business without endpoints.
 * @param among only endpoints of these businesses
 */
export function findWebhookWork(
  sql: Connection,
  lessee: string,
  limit: number,
  among?: readonly number[],
): Promise<FoundWork[]> {
  return sql`
    SELECT e.business_id, e.endpoint_id, CASE WHEN NOT ${isFree} THEN e.leased_by END AS lease,
      work.has_events, work.has_others
    FROM webhook_endpoint e
    CROSS JOIN LATERAL (
      SELECT e.cursor_event_no < ${lastEventNo(raw("e.business_id"))} AS has_events,
        EXISTS (
          SELECT FROM webhook_retry r
          WHERE r.business_id = e.business_id AND r.endpoint_id = e.endpoint_id AND r.due_at <= now()
        ) AS has_others
    ) AS work
    WHERE (${isFree} OR ${leasedBy(lessee)})
      AND CASE e.status WHEN 'enabled' THEN work.has_events OR work.has_others ELSE e.due_at <= now() END
      AND ${mayReceive}
      ${among === undefined ? fragment`` : fragment`AND e.business_id = ANY (${among}::bigint[])`}
    LIMIT ${limit}`;
}

/**
 * Takes leases of endpoints that have none, or whose lease this process has without knowing it, because a response was lost.
 * @param lease the name of the new leases; it begins with that of the process
 * @returns the endpoints that the process now has. Those that others have or have locked, and those in a pause, are missing.
 */
export function takeLeases(
  sql: Connection,
  lessee: string,
  lease: string,
  keys: readonly EndpointKey[],
): Promise<LeasedEndpoint[]> {
  // Since the work was found, the endpoint may have been probed.
  return sql`
    WITH free AS MATERIALIZED (
      SELECT e.business_id, e.endpoint_id
      FROM ${tableOf("key", keys, "business_id bigint, endpoint_id bigint")} JOIN webhook_endpoint e USING (business_id, endpoint_id)
      WHERE (${isFree} OR ${leasedBy(lessee)}) AND (e.status = 'enabled' OR e.due_at <= now()) AND ${mayReceive}
      FOR NO KEY UPDATE OF e SKIP LOCKED
    )
    UPDATE webhook_endpoint e
    SET leased_by = ${lease}, leased_until = now() + make_interval(secs => ${leaseSeconds})
    FROM free WHERE e.business_id = free.business_id AND e.endpoint_id = free.endpoint_id
    RETURNING e.business_id, e.endpoint_id, e.leased_by AS lease, e.url, e.types, e.headers, e.max_in_flight, e.ordered, e.status,
      e.disabled_reason, e.failures,
      extract(epoch FROM now() - e.failing_since)::float8 AS failing_seconds, e.cursor_event_no,
      (SELECT i.location_ids FROM integration i
        WHERE i.business_id = e.business_id AND i.integration_id = e.integration_id AND NOT i.all_locations)
        AS location_ids,
      (SELECT coalesce(json_agg(json_build_object('secret_id', s.secret_id, 'sealed', s.sealed, 'seconds',
          extract(epoch FROM s.expires_at - now())) ORDER BY s.secret_id DESC), '[]')
        FROM webhook_secret s
        WHERE s.business_id = e.business_id AND s.endpoint_id = e.endpoint_id
          AND (s.expires_at IS NULL OR s.expires_at > now())) AS secrets`;
}

/** An endpoint that gets nothing, though no request has disabled it. */
export interface StoppedEndpoint extends EndpointKey {
  readonly status: "failing" | "disabled";
  /** Without its path, which can be secret. */
  readonly host: string;
  /** Why it is disabled; null while it is failing. */
  readonly disabled_reason: Exclude<DisabledReason, "requested"> | null;
  /** For how long it has been failing. */
  readonly failing_seconds: number | null;
}

/** Finds failing endpoints, and those that the service has disabled. @param among null: all businesses */
export function listStoppedEndpoints(
  sql: Connection,
  among: readonly number[] | null,
  limit: number,
): Promise<StoppedEndpoint[]> {
  return sql`
    SELECT business_id, endpoint_id, status, substring(url FROM '^https?://([^/?]+)') AS host, disabled_reason,
      floor(extract(epoch FROM now() - failing_since))::bigint AS failing_seconds
    FROM webhook_endpoint
    WHERE (status = 'failing' OR (status = 'disabled' AND disabled_reason <> 'requested'))
      ${among === null ? fragment`` : fragment`AND business_id = ANY (${among}::bigint[])`}
    ORDER BY business_id, endpoint_id LIMIT ${limit}`;
}

/**
 * How many endpoints have each status, and for how many seconds the oldest event or due retry has waited for the service. Those of
 * endpoints that may get nothing now, or are failing, wait for somebody else.
 */
export interface WebhookHealth {
  readonly enabled: number;
  readonly failing: number;
  /** Those that the service disabled, not a request. */
  readonly disabled: number;
  readonly disabled_by_request: number;
  readonly backlog_seconds: number;
}

/** @param among null: the endpoints of all businesses */
export async function readWebhookHealth(
  sql: Connection,
  among: readonly number[] | null = null,
): Promise<WebhookHealth> {
  const rows = await sql<WebhookHealth[]>`
    SELECT count(*) FILTER (WHERE e.status = 'enabled') AS enabled, count(*) FILTER (WHERE e.status = 'failing') AS failing,
      count(*) FILTER (WHERE e.status = 'disabled' AND e.disabled_reason <> 'requested') AS disabled,
      count(*) FILTER (WHERE e.disabled_reason = 'requested') AS disabled_by_request,
      coalesce(max(extract(epoch FROM clock_timestamp() - waiting.since)), 0)::float8 AS backlog_seconds
    FROM webhook_endpoint e
    LEFT JOIN LATERAL (
      SELECT least(
        (SELECT recorded_at FROM event WHERE business_id = e.business_id AND event_no > e.cursor_event_no
          ORDER BY business_id, event_no LIMIT 1),
        (SELECT due_at FROM webhook_retry
          WHERE business_id = e.business_id AND endpoint_id = e.endpoint_id AND due_at <= clock_timestamp()
          ORDER BY business_id, endpoint_id, due_at LIMIT 1)
      ) AS since
      WHERE e.status = 'enabled' AND ${mayReceive}
    ) AS waiting ON true
    ${among === null ? fragment`` : fragment`WHERE e.business_id = ANY (${among}::bigint[])`}`;
  return rows[0] as WebhookHealth;
}
