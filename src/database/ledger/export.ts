import type { Connection } from "../connection.ts";
import { type BusinessTime, wallClock } from "../rows.ts";
import { fragment } from "../sql.ts";
import type { EntryRow } from "./recording.ts";

/** Its time is the wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
export type ExportedEntry = Omit<EntryRow, "business_id">;

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
  { businessId, timeZone }: BusinessTime,
  { after, limit, contactId }: ExportPage,
) {
  return sql<ExportedEntry[]>`
    SELECT entry_no, ${wallClock("created_at", timeZone)} AS created_at, account,
      event_type, contact_id, reference_id, amount, balance_after, location_id, integration_id, reason
    FROM ledger_entry WHERE business_id = ${businessId} AND entry_no > ${after}
      ${contactId === undefined ? fragment`` : fragment`AND contact_id = ${contactId}`}
    ORDER BY entry_no LIMIT ${limit}`;
}
