import type { LocationAccess } from "../domain/access.ts";
import type { EventType } from "../domain/ledger.ts";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import type { Connection } from "./connection.ts";

export interface TransactionFilter {
  readonly location_id?: number | undefined;
  readonly contact_id?: number | undefined;
  readonly event_types?: readonly EventType[] | undefined;
  /** Inclusive days, YYYY-MM-DD, in the business's time zone. */
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

export interface TransactionRow {
  readonly event_type: EventType;
  readonly contact_id: number;
  readonly reference_id: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly created_at: string;
}

/** What of a business's ledger the caller may see, and how it tells the time. */
export interface LedgerView {
  readonly businessId: number;
  readonly timeZone: string;
  readonly locations: LocationAccess;
}

/** A page of the ledger, newest first, with the total; both from one snapshot. */
export async function listTransactions(
  sql: Connection,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  const matching = sql`FROM ledger_entry WHERE business_id = ${view.businessId} ${conditions(sql, view, filter)}`;
  const rows = await sql<(TransactionRow & { total: number })[]>`
    WITH matching AS MATERIALIZED (SELECT count(*) AS total ${matching}),
    listed AS (
      SELECT entry_no, created_at, event_type, contact_id, reference_id, amount, balance_after ${matching}
      ORDER BY created_at DESC, entry_no DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT event_type, contact_id, reference_id, amount, balance_after, total,
      to_char(created_at AT TIME ZONE ${view.timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM matching LEFT JOIN listed ON true
    ORDER BY listed.created_at DESC, entry_no DESC`;
  const total = rows[0]?.total ?? 0;
  const present = rows.filter((row) => row.event_type !== null);
  return { total, rows: present.map(({ total: _, ...row }) => row) };
}

function conditions(sql: Connection, { timeZone, locations }: LedgerView, filter: TransactionFilter) {
  const { location_id, contact_id, event_types, start_date, end_date } = filter;
  return [
    location_id === undefined ? sql`` : sql`AND location_id = ${location_id}`,
    locations.everywhere || location_id !== undefined
      ? sql``
      : sql`AND (location_id IS NULL OR location_id = ANY (${[...locations.ids]}::bigint[]))`,
    contact_id === undefined ? sql`` : sql`AND contact_id = ${contact_id}`,
    event_types === undefined ? sql`` : sql`AND event_type = ANY (${event_types as string[]}::event_type[])`,
    start_date === undefined
      ? sql``
      : sql`AND created_at >= ${start_date}::date::timestamp AT TIME ZONE ${timeZone}`,
    end_date === undefined
      ? sql``
      : sql`AND created_at < (${end_date}::date + 1)::timestamp AT TIME ZONE ${timeZone}`,
  ];
}
