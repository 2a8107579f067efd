/** Webhook endpoints: where events are sent. The sender's statements are in leases.ts and attempts.ts. */
import type { Page, PageRequest } from "../../domain/pagination.ts";
import { type DisabledReason, ownReasons } from "../../domain/webhooks/endpoint.ts";
import type { Connection } from "../connection.ts";
import { lastEventNo } from "../events.ts";
import { type BusinessTime, firstRow, newestFirst, readPage, requiredRow, wallClock } from "../rows.ts";
import { assignmentsOf, type ChangeOf, type Fragment, fragment, raw } from "../sql.ts";

/** Whose endpoints a caller sees: those of an integration, or all endpoints of a business. */
export interface EndpointOwner extends BusinessTime {
  /** Undefined for an operator. */
  readonly integrationId: number | undefined;
}

/** What the owner of an endpoint sets. */
export interface EndpointSettings {
  readonly url: string;
  readonly types: string[];
  readonly description: string | null;
  readonly header_names: string[];
  /** JSON, encrypted. */
  readonly headers: string | null;
  readonly max_in_flight: number;
  readonly ordered: boolean;
}

export const disabledReasons = ["requested", ...ownReasons, "integration_disabled"] as const;

export interface EndpointRow extends Omit<EndpointSettings, "headers"> {
  readonly endpoint_id: number;
  /** Null: it belongs to the operators. */
  readonly integration_id: number | null;
  readonly status: "enabled" | "failing" | "disabled";
  readonly disabled_reason: (typeof disabledReasons)[number] | null;
  /** This and the next times are in wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly failing_since: string | null;
  readonly last_success_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** Of the newest attempt that failed, if it matters still. */
  readonly last_error: string | null;
  /** How many events there are after the last one that is done. */
  readonly behind: number;
  /** How many events wait for another attempt, up to `mostCounted`. */
  readonly waiting: number;
}

/** Longer queues are not counted further. */
export const mostCounted = 10_000;

/** The scope that an integration needs for as long as its endpoints get events. */
const scope = "wa.webhooks.write";

/** The endpoints with their integrations. */
const endpoints = fragment`webhook_endpoint e
  LEFT JOIN integration i ON i.business_id = e.business_id AND i.integration_id = e.integration_id`;

/**
 * Whether an endpoint `e` gets events, by its integration `i`: if it belongs to one, the integration is enabled and has the scope.
 */
const isAllowed = fragment`(e.integration_id IS NULL OR (i.enabled AND ${scope} = ANY (i.scopes)))`;

const ofOwner = ({ businessId, integrationId }: EndpointOwner) =>
  integrationId === undefined
    ? fragment`e.business_id = ${businessId}`
    : fragment`e.business_id = ${businessId} AND e.integration_id = ${integrationId}`;

const columnsIn = (timeZone: string) => fragment`
  e.endpoint_id, e.integration_id, e.url, e.types, e.description, e.header_names, e.max_in_flight, e.ordered,
  CASE WHEN ${isAllowed} THEN e.status ELSE 'disabled' END AS status,
  CASE WHEN ${isAllowed} THEN e.disabled_reason ELSE 'integration_disabled' END AS disabled_reason,
  ${wallClock("e.failing_since", timeZone)} AS failing_since,
  ${wallClock("e.last_success_at", timeZone)} AS last_success_at,
  ${wallClock("e.created_at", timeZone)} AS created_at,
  ${wallClock("e.updated_at", timeZone)} AS updated_at,
  (
    SELECT coalesce(a.error, 'HTTP ' || a.response_status) FROM webhook_attempt a
    WHERE a.business_id = e.business_id AND a.endpoint_id = e.endpoint_id AND NOT a.succeeded
      AND (
        a.started_at > coalesce(e.last_success_at, '-infinity')
        OR EXISTS (SELECT FROM webhook_retry r WHERE r.business_id = e.business_id AND r.endpoint_id = e.endpoint_id)
      )
    ORDER BY a.business_id, a.endpoint_id, a.started_at DESC, a.attempt_id DESC LIMIT 1
  ) AS last_error,
  greatest(${lastEventNo(raw("e.business_id"))} - e.cursor_event_no, 0) AS behind,
  (
    SELECT count(*) FROM (
      SELECT FROM webhook_retry r
      WHERE r.business_id = e.business_id AND r.endpoint_id = e.endpoint_id AND r.event_no > 0 LIMIT ${mostCounted}
    ) AS counted
  ) AS waiting`;

/** @returns undefined when the owner has no such endpoint */
export function findEndpoint(sql: Connection, owner: EndpointOwner, endpointId: number) {
  return firstRow(sql<EndpointRow[]>`
    SELECT ${columnsIn(owner.timeZone)} FROM ${endpoints} WHERE ${ofOwner(owner)} AND e.endpoint_id = ${endpointId}`);
}

export function listEndpoints(
  sql: Connection,
  owner: EndpointOwner,
  page: PageRequest,
): Promise<Page<EndpointRow>> {
  const from = fragment`FROM ${endpoints} WHERE ${ofOwner(owner)}`;
  const list = {
    columns: columnsIn(owner.timeZone),
    from,
    sort: newestFirst("e.endpoint_id"),
  };
  return readPage<EndpointRow>(sql, list, page);
}

/** What a change of an endpoint looks at. */
export interface LockedEndpoint
  extends Omit<EndpointSettings, "headers">,
    Pick<EndpointRow, "endpoint_id" | "integration_id" | "status" | "disabled_reason"> {
  readonly cursor_event_no: number;
  /** The locations whose events it gets; null: all. */
  readonly location_ids: number[] | null;
  /** After how many seconds it can be enabled again; null: now. */
  readonly enabled_again_in: number | null;
}

/** An endpoint can be enabled once in this time, so that a receiver that is down is not asked all the time. */
const enabledAgainAfter = fragment`interval '5 minutes'`;

/** Finds an endpoint and locks it to the end of the transaction. @returns undefined when the owner has no such endpoint */
export function lockEndpoint(tx: Connection, owner: EndpointOwner, endpointId: number) {
  return findForUse(tx, owner, endpointId, fragment`FOR UPDATE OF e`);
}

/** Finds an endpoint with what its events depend on. */
export function findForUse(sql: Connection, owner: EndpointOwner, endpointId: number, lock = fragment``) {
  return firstRow(sql<LockedEndpoint[]>`
    SELECT e.endpoint_id, e.integration_id, e.url, e.types, e.description, e.header_names, e.max_in_flight, e.ordered,
      e.cursor_event_no,
      CASE WHEN ${isAllowed} THEN e.status ELSE 'disabled' END AS status,
      CASE WHEN ${isAllowed} THEN e.disabled_reason ELSE 'integration_disabled' END AS disabled_reason,
      CASE WHEN e.integration_id IS NULL OR i.all_locations THEN NULL ELSE i.location_ids END AS location_ids,
      CASE WHEN e.enabled_at + ${enabledAgainAfter} > now()
        THEN ceil(extract(epoch FROM e.enabled_at + ${enabledAgainAfter} - now()))::integer END AS enabled_again_in
    FROM ${endpoints} WHERE ${ofOwner(owner)} AND e.endpoint_id = ${endpointId} ${lock}`);
}

/** The events `v` that an endpoint gets. @param names of the types that it names */
export function eventsOf(
  { location_ids }: Pick<LockedEndpoint, "location_ids">,
  names: readonly string[],
): Fragment {
  const here =
    location_ids === null
      ? fragment``
      : fragment`AND (v.location_id IS NULL OR v.location_id = ANY (${location_ids}::bigint[]))`;
  return fragment`v.type = ANY (${names}::text[]) ${here}`;
}

/** Locks what the number of an owner's endpoints depends on, and counts them. */
export async function countEndpoints(
  tx: Connection,
  { businessId, integrationId }: EndpointOwner,
): Promise<number> {
  if (integrationId === undefined)
    await tx`SELECT FROM business WHERE business_id = ${businessId} FOR NO KEY UPDATE`;
  else {
    await tx`
      SELECT FROM integration WHERE business_id = ${businessId} AND integration_id = ${integrationId} FOR NO KEY UPDATE`;
  }
  const { endpoints: count } = await requiredRow(tx<{ endpoints: number }[]>`
    SELECT count(*) AS endpoints FROM webhook_endpoint
    WHERE business_id = ${businessId} AND integration_id IS NOT DISTINCT FROM ${integrationId ?? null}::bigint`);
  return count;
}

/** The id of a new endpoint. Its secret and headers are encrypted for this id. */
export async function nextEndpointId(tx: Connection): Promise<number> {
  const { endpoint_id } = await requiredRow(tx<{ endpoint_id: number }[]>`
    SELECT nextval(pg_get_serial_sequence('webhook_endpoint', 'endpoint_id')) AS endpoint_id`);
  return endpoint_id;
}

/** Adds an enabled endpoint, which gets the events from now on. */
export function insertEndpoint(
  tx: Connection,
  {
    businessId,
    integrationId = null,
  }: { readonly businessId: number; readonly integrationId?: number | null | undefined },
  endpointId: number,
  { url, types, description, header_names, headers, max_in_flight, ordered }: EndpointSettings,
) {
  return tx`
    INSERT INTO webhook_endpoint
      (business_id, endpoint_id, integration_id, url, types, description, header_names, headers, max_in_flight, ordered, cursor_event_no)
    VALUES (${businessId}, ${endpointId}, ${integrationId}, ${url}, ${types}::text[], ${description}, ${header_names}::text[],
      ${headers}, ${max_in_flight}, ${ordered},
      ${lastEventNo(businessId)})`;
}

/** Ends the lease, so that the sender reads the endpoint anew, at once if it is not disabled. */
const released = fragment`leased_by = NULL, leased_until = NULL, updated_at = now()`;

/** Ends the leases of an integration's endpoints, because its rights have changed. */
export function releaseEndpointsOf(tx: Connection, businessId: number, integrationId: number) {
  return tx`
    WITH leased AS MATERIALIZED (
      SELECT endpoint_id FROM webhook_endpoint
      WHERE business_id = ${businessId} AND integration_id = ${integrationId} AND leased_by IS NOT NULL
      ORDER BY business_id, endpoint_id FOR NO KEY UPDATE
    )
    UPDATE webhook_endpoint e SET leased_by = NULL, leased_until = NULL FROM leased
    WHERE e.business_id = ${businessId} AND e.endpoint_id = leased.endpoint_id`;
}

/** Changes some settings, at least one. */
export function updateEndpoint(
  tx: Connection,
  businessId: number,
  endpointId: number,
  change: ChangeOf<EndpointSettings>,
) {
  const fields = [
    "url",
    "types",
    "description",
    "header_names",
    "headers",
    "max_in_flight",
    "ordered",
  ] as const;
  return tx`
    UPDATE webhook_endpoint SET ${assignmentsOf<EndpointSettings>(fields, change)}, ${released},
      due_at = CASE WHEN status = 'enabled' THEN now() ELSE due_at END
    WHERE business_id = ${businessId} AND endpoint_id = ${endpointId}`;
}

/**
 * Enables an endpoint, and sends what waits at once. Attempts are counted anew, so that none is given up before the endpoint fails
 * again. @param cursor the last event that is done
 */
export async function enableEndpoint(tx: Connection, businessId: number, endpointId: number, cursor: number) {
  await tx`
    UPDATE webhook_endpoint SET status = 'enabled', disabled_reason = NULL, failing_since = NULL, failures = 0,
      cursor_event_no = ${cursor}, enabled_at = now(), due_at = now(), ${released}
    WHERE business_id = ${businessId} AND endpoint_id = ${endpointId}`;
  await tx`
    UPDATE webhook_retry SET attempts = 0, due_at = now()
    WHERE business_id = ${businessId} AND endpoint_id = ${endpointId}`;
}

/** Forgets events that wait for another attempt: all, or those that will be sent again because they are after the cursor. */
export function deleteRetries(tx: Connection, businessId: number, endpointId: number, after: number) {
  return tx`
    DELETE FROM webhook_retry WHERE business_id = ${businessId} AND endpoint_id = ${endpointId} AND event_no > ${after}`;
}

const disabledFor = (reason: DisabledReason) => fragment`
  status = 'disabled', disabled_reason = ${reason}, failing_since = NULL, failures = 0, due_at = NULL, ${released}`;

export function disableEndpoint(tx: Connection, businessId: number, endpointId: number) {
  return tx`
    UPDATE webhook_endpoint SET ${disabledFor("requested")}
    WHERE business_id = ${businessId} AND endpoint_id = ${endpointId}`;
}

/** Disables the endpoints of a business, or of all, because the original may still send. @returns how many there were */
export async function disableCopiedEndpoints(tx: Connection, businessId?: number): Promise<number> {
  const copied = businessId === undefined ? fragment`true` : fragment`business_id = ${businessId}`;
  // A test of an endpoint that was disabled before may be due.
  await tx`UPDATE webhook_endpoint SET due_at = NULL, ${released} WHERE ${copied}`;
  const disabled = await tx`
    UPDATE webhook_endpoint SET ${disabledFor("copied")} WHERE status <> 'disabled' AND ${copied}`;
  return disabled.count;
}

/** Deletes an endpoint with its secrets and retries. Its attempts are swept later. */
export function deleteEndpoint(tx: Connection, businessId: number, endpointId: number) {
  return tx`DELETE FROM webhook_endpoint WHERE business_id = ${businessId} AND endpoint_id = ${endpointId}`;
}

/** Deletes the endpoints of an integration, with their secrets and retries. */
export function deleteEndpointsOf(tx: Connection, businessId: number, integrationId: number) {
  return tx`
    DELETE FROM webhook_endpoint WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
}

/** Makes the sender look at an endpoint at once. */
export function wakeEndpoint(tx: Connection, businessId: number, endpointId: number) {
  return tx`
    UPDATE webhook_endpoint SET due_at = now(), leased_by = CASE WHEN status = 'enabled' THEN leased_by END
    WHERE business_id = ${businessId} AND endpoint_id = ${endpointId}`;
}

export function insertWebhookSecret(tx: Connection, businessId: number, endpointId: number, sealed: string) {
  return tx`
    INSERT INTO webhook_secret (business_id, endpoint_id, sealed) VALUES (${businessId}, ${endpointId}, ${sealed})`;
}

/** The newest secret, encrypted. */
export async function findSealedSecret(
  sql: Connection,
  businessId: number,
  endpointId: number,
): Promise<string | undefined> {
  const [newest] = await sql<{ sealed: string }[]>`
    SELECT sealed FROM webhook_secret
    WHERE business_id = ${businessId} AND endpoint_id = ${endpointId} AND expires_at IS NULL`;
  return newest?.sealed;
}

/**
 * Adds a new secret. The previous secret stays valid for a while. Older secrets end now. The caller holds the endpoint's lock.
 * @returns the end of the previous secret in wall-clock time, YYYY-MM-DD HH:MM:SS; null when it has ended
 */
export async function replaceWebhookSecret(
  tx: Connection,
  { businessId, timeZone }: BusinessTime,
  endpointId: number,
  sealed: string,
  overlapSeconds: number,
): Promise<string | null> {
  const own = fragment`business_id = ${businessId} AND endpoint_id = ${endpointId}`;
  await tx`DELETE FROM webhook_secret WHERE ${own} AND (expires_at IS NOT NULL OR ${overlapSeconds} = 0)`;
  const [previous] = await tx<{ expires_at: string }[]>`
    UPDATE webhook_secret SET expires_at = now() + make_interval(secs => ${overlapSeconds}) WHERE ${own}
    RETURNING ${wallClock("expires_at", timeZone)} AS expires_at`;
  await insertWebhookSecret(tx, businessId, endpointId, sealed);
  await tx`UPDATE webhook_endpoint SET ${released} WHERE ${own}`;
  return previous?.expires_at ?? null;
}

/** The times of the secrets that are valid now, newest first. */
export function listWebhookSecrets(
  sql: Connection,
  { businessId, timeZone }: BusinessTime,
  endpointId: number,
) {
  return sql<{ readonly created_at: string; readonly expires_at: string | null }[]>`
    SELECT ${wallClock("created_at", timeZone)} AS created_at, ${wallClock("expires_at", timeZone)} AS expires_at
    FROM webhook_secret
    WHERE business_id = ${businessId} AND endpoint_id = ${endpointId} AND (expires_at IS NULL OR expires_at > now())
    ORDER BY secret_id DESC`;
}
