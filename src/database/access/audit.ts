import type { Actor, ActorKind, AuditEvent } from "../../domain/audit-events.ts";
import type { Page, PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { withoutPersonalData } from "../personal.ts";
import { firstInstant, inTurn, type ListSource, newestFirst, readPage } from "../rows.ts";
import { columnsEqual, fragment, tableOf } from "../sql.ts";

export interface NewAuditEntry {
  /** Null for an event without a business. */
  readonly business_id: number | null;
  readonly actor: Actor;
  readonly event: AuditEvent;
  readonly before: object | null;
  readonly after: object | null;
  /** ISO 8601; now when absent. */
  readonly recorded_at?: string;
}

/** The actor of what happens without a request: the service itself, or who runs a command in its database. */
export const ownActor = (kind: "service" | "root", requestId: string): Actor => ({
  kind,
  id: null,
  name: kind,
  note: null,
  address: "",
  requestId,
});

/** Adds entries to the audit log, without personal data. Entries about a write are added in its transaction. */
export async function insertAuditEntries(sql: Connection, entries: readonly NewAuditEntry[]): Promise<void> {
  const rows = entries.map(({ actor, recorded_at = null, ...entry }) => ({
    ...entry,
    before: withoutPersonalData(entry.before),
    after: withoutPersonalData(entry.after),
    contact_id: contactOf(entry.after ?? entry.before),
    recorded_at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    note: actor.note,
    address: actor.address,
    request_id: actor.requestId,
  }));
  const columns = `business_id bigint, recorded_at timestamptz, actor_kind text, actor_id bigint, actor_name text, note text,
    address text, request_id text, event text, contact_id bigint, before jsonb, after jsonb`;
  await sql`
    INSERT INTO audit_entry (business_id, recorded_at, actor_kind, actor_id, actor_name, note, address, request_id, event,
      contact_id, before, after)
    SELECT business_id, coalesce(recorded_at, clock_timestamp()), actor_kind, actor_id, actor_name, note, address,
      request_id, event, contact_id, before, after
    FROM ${tableOf("entry", rows, columns)} ORDER BY nth`;
}

/** The member that a record is about. */
function contactOf(record: { readonly contact_id?: unknown } | null): number | null {
  return typeof record?.contact_id === "number" ? record.contact_id : null;
}

/** Deletes up to `limit` entries that are older than `days`, the oldest first. @returns how many were deleted */
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
  readonly actor_kind: ActorKind;
  readonly actor_id: number | null;
  readonly actor_name: string;
  readonly note: string | null;
  readonly address: string;
  readonly request_id: string;
  readonly event: string;
  readonly contact_id: number | null;
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditFilter {
  readonly contact_id?: number | undefined;
  readonly business_id?: number | undefined;
  readonly event?: string | undefined;
  readonly actor_kind?: ActorKind | undefined;
  readonly actor_id?: number | undefined;
  readonly actor_name?: string | undefined;
  /** The days are in the time zone of the business, or in UTC without one, inclusive. */
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/**
 * A page of the audit log, newest first, with the total; of one business or of all.
 * @param businessIds only entries of these businesses; null: all entries
 */
export function listAuditEntries(
  source: Pick<ListSource, "sql" | "scans">,
  filter: AuditFilter,
  businessIds: readonly number[] | null,
  page: PageRequest,
): Promise<Page<AuditRow>> {
  const columns = fragment`audit_id, business_id, to_char(recorded_at, 'YYYY-MM-DD HH24:MI:SS') AS recorded_at,
    actor_kind, actor_id, actor_name, note, address, request_id, event, contact_id, before, after`;
  const { business_id, contact_id, event, actor_kind, actor_id, actor_name, start_date, end_date } = filter;
  const of = fragment`FROM audit_entry WHERE true ${columnsEqual({ business_id, contact_id, event })}
    ${businessIds === null ? fragment`` : fragment`AND business_id = ANY (${[...businessIds]}::bigint[])`}`;
  const zone = fragment`coalesce((SELECT time_zone FROM business WHERE business_id = ${business_id ?? null}::bigint), 'UTC')`;
  const from = fragment`${of} ${columnsEqual({ actor_kind, actor_id, actor_name })}
    ${start_date === undefined ? fragment`` : fragment`AND recorded_at >= ${firstInstant(fragment`${start_date}::date`, zone)}`}
    ${end_date === undefined ? fragment`` : fragment`AND recorded_at < ${firstInstant(fragment`(${end_date}::date + 1)`, zone)}`}`;
  const list = { columns, from, sort: newestFirst("audit_id") };
  return inTurn(source, business_id ?? 0, of, () => readPage<AuditRow>(source.sql, list, page));
}
