/** The log of requests that were rejected or failed, and the counts of all requests, by integration. */
import type { Page, PageRequest } from "../domain/pagination.ts";
import type { Connection, Database } from "./connection.ts";
import { inTurn, type ListSource, readPage, wallClock } from "./rows.ts";
import { columnsEqual, type Fragment, fragment, insertOf, tableOf } from "./sql.ts";

/** The sender of a request: its integration, or the client_id of a token request that was rejected. */
export type SenderKey = number | string;

export interface FieldProblem {
  readonly field: string;
  readonly code: string;
}

export interface RejectedRequest {
  readonly sender: SenderKey;
  /** ISO 8601. */
  readonly requested_at: string;
  readonly request_id: string;
  /** Null for an unknown path. */
  readonly operation: string | null;
  readonly status: number;
  /** Null: it succeeded, and is listed for its reason. */
  readonly error_code: string | null;
  readonly reason: string | null;
  readonly field_errors: readonly FieldProblem[];
}

export interface RequestCounts {
  readonly succeeded: number;
  readonly rejected: number;
  readonly failed: number;
  readonly unlisted: number;
}

export interface CountedRequests extends RequestCounts {
  readonly sender: SenderKey;
  /** The beginning of the hour, in ISO 8601. */
  readonly hour: string;
  /** Empty for an unknown path. */
  readonly operation: string;
}

export type WriteRequests = (
  requests: readonly RejectedRequest[],
  counts: readonly CountedRequests[],
) => Promise<void>;

/** Records requests in transactions that don't wait for the disk: a crash of the database loses the last moment of the log. */
export const requestsInto =
  (sql: Database): WriteRequests =>
  (requests, counts) =>
    sql.begin(async (tx) => {
      await tx`SET LOCAL synchronous_commit = off`;
      await recordRequests(tx, requests, counts);
    });

/**
 * Records requests of integrations that exist. The transaction locks the integrations, so that nothing is left of one that is deleted
 * at the same time.
 */
export async function recordRequests(
  tx: Connection,
  requests: readonly RejectedRequest[],
  counts: readonly CountedRequests[],
): Promise<void> {
  const senders = new Set([...requests, ...counts].map(({ sender }) => sender));
  const ids = [...senders].filter((sender) => typeof sender === "number");
  const clientIds = [...senders].filter((sender) => typeof sender === "string");
  const rows = await tx<{ integration_id: number; business_id: number; client_id: string }[]>`
    SELECT integration_id, business_id, client_id FROM integration
    WHERE integration_id = ANY (${ids}::bigint[]) OR client_id = ANY (${clientIds}::text[])
    ORDER BY integration_id FOR KEY SHARE`;
  const owners = new Map<SenderKey, { integration_id: number; business_id: number }>();
  for (const { client_id, ...owner } of rows) {
    owners.set(owner.integration_id, owner);
    owners.set(client_id, owner);
  }
  const owned = <Row extends { sender: SenderKey }>(all: readonly Row[]) =>
    all.flatMap(({ sender, ...row }) => {
      const owner = owners.get(sender);
      return owner === undefined ? [] : [{ ...owner, ...row }];
    });
  await Promise.all([insertRejected(tx, owned(requests)), addCounts(tx, owned(counts))]);
}

const rejectedColumns = `business_id bigint, integration_id bigint, requested_at timestamptz, request_id text, operation text,
  status smallint, error_code text, reason text, field_errors json`;

async function insertRejected(tx: Connection, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  // If the outcome of an earlier attempt is unknown, the rows may be there.
  await tx`${insertOf("rejected_request", rows, rejectedColumns)} ON CONFLICT DO NOTHING`;
}

const countColumns = `business_id bigint, integration_id bigint, hour timestamptz, operation text, succeeded bigint,
  rejected bigint, failed bigint, unlisted bigint`;

async function addCounts(tx: Connection, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  // An integration may be counted by its id and by its client_id. The order prevents deadlocks between processes.
  await tx`
    INSERT INTO request_count AS c
      (business_id, integration_id, hour, operation, succeeded, rejected, failed, unlisted)
    SELECT business_id, integration_id, hour, operation, sum(succeeded), sum(rejected), sum(failed), sum(unlisted)
    FROM ${tableOf("counted", rows, countColumns)}
    GROUP BY business_id, integration_id, hour, operation
    ORDER BY business_id, integration_id, hour, operation
    ON CONFLICT (business_id, integration_id, hour, operation) DO UPDATE SET
      succeeded = c.succeeded + excluded.succeeded, rejected = c.rejected + excluded.rejected,
      failed = c.failed + excluded.failed, unlisted = c.unlisted + excluded.unlisted`;
}

export interface RequestFilter {
  readonly integration_id?: number | undefined;
  readonly operation?: string | undefined;
  /** UTC, YYYY-MM-DD or YYYY-MM-DD HH:MM:SS; inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface RejectedFilter extends RequestFilter {
  readonly status?: number | undefined;
  readonly error_code?: string | undefined;
}

export interface RejectedRow extends Omit<RejectedRequest, "sender" | "field_errors"> {
  readonly integration_id: number;
  readonly field_errors: FieldProblem[];
}

const utc = (time: string) => fragment`${time}::timestamp AT TIME ZONE 'UTC'`;

/** A page of a business's rejected requests, newest first, with the total. */
export function listRejectedRequests(
  source: Pick<ListSource, "sql" | "scans">,
  businessId: number,
  { integration_id, operation, status, error_code, since, until }: RejectedFilter,
  page: PageRequest,
): Promise<Page<RejectedRow>> {
  const columns = fragment`${wallClock("requested_at", "UTC")} AS requested_at, request_id, integration_id, operation, status,
    error_code, reason, field_errors`;
  const of = fragment`FROM rejected_request WHERE business_id = ${businessId} ${columnsEqual({ integration_id })}`;
  const from = fragment`${of} ${columnsEqual({ operation, status, error_code })}
    ${since === undefined ? fragment`` : fragment`AND requested_at >= ${utc(since)}`}
    ${until === undefined ? fragment`` : fragment`AND requested_at < ${utc(until)} + interval '1 second'`}`;
  const sort = [
    { by: "rejected_request.requested_at", type: "timestamptz", isDescending: true },
    { by: "request_id", type: "text", isDescending: true },
  ];
  return inTurn(source, businessId, of, () =>
    readPage<RejectedRow>(source.sql, { columns, from, sort }, page),
  );
}

export interface CountRow extends RequestCounts {
  /** UTC, YYYY-MM-DD HH:MM:SS. */
  readonly hour: string;
  readonly integration_id: number;
  readonly operation: string | null;
}

/** A page of the numbers of requests of a business by hour, integration and operation, newest first, with the total. */
export function listRequestCounts(
  source: Pick<ListSource, "sql" | "scans">,
  businessId: number,
  { integration_id, operation, since, until }: RequestFilter,
  page: PageRequest,
): Promise<Page<CountRow>> {
  const columns = fragment`${wallClock("hour", "UTC")} AS hour, integration_id, nullif(operation, '') AS operation, succeeded,
    rejected, failed, unlisted`;
  const of = fragment`FROM request_count WHERE business_id = ${businessId} ${columnsEqual({ integration_id })}`;
  const from = fragment`${of} ${columnsEqual({ operation })}
    ${since === undefined ? fragment`` : fragment`AND hour >= date_trunc('hour', ${utc(since)}, 'UTC')`}
    ${until === undefined ? fragment`` : fragment`AND hour <= ${utc(until)}`}`;
  const sort = [
    { by: "request_count.hour", type: "timestamptz", isDescending: true },
    { by: "integration_id", type: "bigint", isDescending: true },
    { by: "request_count.operation", type: "text", isDescending: false },
  ];
  return inTurn(source, businessId, of, () => readPage<CountRow>(source.sql, { columns, from, sort }, page));
}

/** Deletes the log of an integration that is deleted in the same transaction. */
export async function deleteRequests(
  tx: Connection,
  businessId: number,
  integrationId: number,
): Promise<void> {
  await tx`DELETE FROM rejected_request WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
  await tx`DELETE FROM request_count WHERE business_id = ${businessId} AND integration_id = ${integrationId}`;
}

/** How long the log is kept, and the most requests of an integration. */
const requestDays = 7;
const requestsKept = 10_000;

const isOld = (time: Fragment) => fragment`${time} < now() - make_interval(days => ${requestDays})`;

/** Deletes up to `limit` rejected requests of a business that are too old or too many. @returns how many were deleted */
export async function sweepRejectedRequests(
  sql: Connection,
  businessId: number,
  limit: number,
): Promise<number> {
  const result = await sql`
    WITH old AS MATERIALIZED (
      SELECT integration_id, requested_at, request_id FROM rejected_request
      WHERE business_id = ${businessId} AND ${isOld(fragment`requested_at`)} LIMIT ${limit}
    ), surplus AS MATERIALIZED (
      SELECT r.* FROM integration i CROSS JOIN LATERAL (
        SELECT integration_id, requested_at, request_id FROM rejected_request
        WHERE business_id = ${businessId} AND integration_id = i.integration_id
        ORDER BY requested_at DESC, request_id DESC LIMIT ${limit} OFFSET ${requestsKept}
      ) AS r
      WHERE i.business_id = ${businessId} LIMIT ${limit}
    )
    DELETE FROM rejected_request USING (SELECT * FROM old UNION SELECT * FROM surplus LIMIT ${limit}) AS swept
    WHERE rejected_request.business_id = ${businessId}
      AND rejected_request.integration_id = swept.integration_id
      AND rejected_request.requested_at = swept.requested_at AND rejected_request.request_id = swept.request_id`;
  return result.count;
}

/** Deletes up to `limit` counts of a business that are too old. @returns how many were deleted */
export async function sweepRequestCounts(
  sql: Connection,
  businessId: number,
  limit: number,
): Promise<number> {
  const result = await sql`
    WITH old AS MATERIALIZED (
      SELECT integration_id, hour, operation FROM request_count
      WHERE business_id = ${businessId} AND ${isOld(fragment`hour`)} LIMIT ${limit}
    )
    DELETE FROM request_count USING old
    WHERE request_count.business_id = ${businessId} AND request_count.integration_id = old.integration_id
      AND request_count.hour = old.hour AND request_count.operation = old.operation`;
  return result.count;
}
