import type { Account, EventType } from "../../domain/ledger.ts";
import type { Connection } from "../connection.ts";
import { fragment } from "../sql.ts";

export interface ExportedEntry {
  readonly entry_no: number;
  /** Wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
  readonly created_at: string;
  readonly account: Account;
  readonly event_type: EventType;
  readonly contact_id: number;
  readonly reference_id: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly location_id: number | null;
  readonly integration_id: number | null;
  readonly reason: string | null;
}

/** Which rows of an export to read. */
export interface ExportPage {
  /** The row after which the page begins. */
  readonly after: number;
  /** The last row that may come; all when absent. */
  readonly through?: number | undefined;
  readonly limit: number;
  /** Only the rows of this member. */
  readonly contactId?: number | undefined;
}

/** Entries in full, in the order of recording. */
export function exportEntries(
  sql: Connection,
  { businessId, timeZone }: { readonly businessId: number; readonly timeZone: string },
  { after, limit, contactId }: ExportPage,
): Promise<ExportedEntry[]> {
  return sql<ExportedEntry[]>`
    SELECT entry_no, to_char(created_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at, account,
      event_type, contact_id, reference_id, amount, balance_after, location_id, integration_id, reason
    FROM ledger_entry WHERE business_id = ${businessId} AND entry_no > ${after}
      ${contactId === undefined ? fragment`` : fragment`AND contact_id = ${contactId}`}
    ORDER BY entry_no LIMIT ${limit}`;
}
