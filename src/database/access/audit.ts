import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { pageOf } from "../page.ts";
import { fragment } from "../sql.ts";

export interface NewAuditEntry {
  /** Null for what concerns no business. */
  readonly business_id: number | null;
  readonly actor: { readonly name: string; readonly address: string; readonly requestId: string };
  /** The path of an operation, or the name of a credential event. */
  readonly event: string;
  readonly before: object | null;
  readonly after: object | null;
  /** ISO 8601; now, unless said. */
  readonly recorded_at?: string;
}

/** Adds an entry to the audit log, in the transaction of the write that it records, if there is one. */
export async function insertAuditEntry(tx: Connection, entry: NewAuditEntry): Promise<void> {
  const { name, address, requestId } = entry.actor;
  await tx`
    INSERT INTO audit_entry (business_id, actor, address, request_id, event, before, after)
    VALUES (${entry.business_id}, ${name}, ${address}, ${requestId}, ${entry.event},
      ${entry.before}::jsonb, ${entry.after}::jsonb)`;
}

/** Adds entries that have happened already, in one statement. */
export async function insertAuditEntries(sql: Connection, entries: readonly NewAuditEntry[]): Promise<void> {
  const column = <Value>(value: (entry: NewAuditEntry) => Value) => entries.map(value);
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
  await sql`
    INSERT INTO audit_entry (business_id, recorded_at, actor, address, request_id, event, before, after)
    SELECT business_id, coalesce(recorded_at, clock_timestamp()), actor, address, request_id, event,
      before::jsonb, after::jsonb
    FROM unnest(
      ${column((entry) => entry.business_id)}::bigint[], ${column((entry) => entry.recorded_at ?? null)}::timestamptz[],
      ${column(({ actor }) => actor.name)}::text[], ${column(({ actor }) => actor.address)}::text[],
      ${column(({ actor }) => actor.requestId)}::text[], ${column(({ event }) => event)}::text[],
      ${column(({ before }) => json(before))}::text[], ${column(({ after }) => json(after))}::text[]
    ) WITH ORDINALITY
      AS entry (business_id, recorded_at, actor, address, request_id, event, before, after, nth)
    ORDER BY nth`;
}

/**
 * Deletes up to `limit` of the oldest entries, those older than `days`.
 * @returns how many were deleted
 */
export async function sweepAuditEntries(sql: Connection, days: number, limit: number): Promise<number> {
  const result = await sql`
    DELETE FROM audit_entry WHERE audit_id = ANY (ARRAY(
      SELECT audit_id FROM (
        SELECT audit_id, recorded_at FROM audit_entry ORDER BY audit_id LIMIT ${limit}
      ) AS oldest WHERE recorded_at < now() - make_interval(days => ${days})
    ))`;
  return result.count;
}

export interface AuditRow {
  readonly audit_id: number;
  readonly business_id: number | null;
  /** UTC, YYYY-MM-DD HH:MM:SS. */
  readonly recorded_at: string;
  readonly actor: string;
  readonly address: string;
  readonly request_id: string;
  readonly event: string;
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditFilter {
  readonly business_id?: number | undefined;
  readonly event?: string | undefined;
  readonly actor?: string | undefined;
  /** The days are in UTC, inclusive. */
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/** A page of the audit log, newest first, with the total; of one business or of all. */
export async function listAuditEntries(
  sql: Connection,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditRow>> {
  const matching = fragment`FROM audit_entry WHERE true
    ${filter.business_id === undefined ? fragment`` : fragment`AND business_id = ${filter.business_id}`}
    ${filter.event === undefined ? fragment`` : fragment`AND event = ${filter.event}`}
    ${filter.actor === undefined ? fragment`` : fragment`AND actor = ${filter.actor}`}
    ${filter.start_date === undefined ? fragment`` : fragment`AND recorded_at >= ${filter.start_date}::date::timestamp AT TIME ZONE 'UTC'`}
    ${filter.end_date === undefined ? fragment`` : fragment`AND recorded_at < (${filter.end_date}::date + 1)::timestamp AT TIME ZONE 'UTC'`}`;
  const rows = await sql<(AuditRow & { total: number })[]>`
    WITH matching AS MATERIALIZED (SELECT count(*) AS total ${matching}),
    wanted AS MATERIALIZED (
      SELECT audit_id ${matching} ORDER BY audit_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    ), listed AS (
      SELECT entry.* FROM wanted CROSS JOIN LATERAL (
        SELECT audit_id, business_id, to_char(recorded_at, 'YYYY-MM-DD HH24:MI:SS') AS recorded_at, actor, address,
          request_id, event, before, after
        FROM audit_entry WHERE audit_id = wanted.audit_id OFFSET 0
      ) AS entry
    )
    SELECT listed.*, matching.total FROM matching LEFT JOIN listed ON true ORDER BY audit_id DESC`;
  return pageOf<AuditRow>(rows, "audit_id");
}
