/**
 * The transaction list. The newest entries of the whole ledger are read directly, and so are the entries of one
 * contact, which are also counted, at the cost of that contact's entries. Otherwise the blocks of ledger-blocks.ts
 * give the total and lead to the page, so that any page costs about the same however long the ledger is.
 */
import type { EventType } from "../../domain/ledger.ts";
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { pageOf } from "../page.ts";
import type { DatabasePools } from "../pools.ts";
import { fragment } from "../sql.ts";
import {
  isWholeLedger,
  type LedgerView,
  matches,
  type TransactionFilter,
  termsOf,
} from "./transaction-filter.ts";
import { listByBlocks } from "./transaction-page.ts";

export interface TransactionRow {
  readonly event_type: EventType;
  readonly contact_id: number;
  readonly reference_id: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly created_at: string;
}

export type CountedTransaction = TransactionRow & { readonly total: number };

/** A page of the whole ledger that ends within these is read from the newest entry on. */
const newestEntries = 1000;

/** A page of the ledger, newest first, with the total; both from one snapshot, that of the one statement. */
export async function listTransactions(
  { sql, lookUps }: Pick<DatabasePools, "sql" | "lookUps">,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  const rows =
    isWholeLedger(view, filter) && offsetOf(page) + page.perPage <= newestEntries
      ? await listNewest(lookUps, view, page)
      : filter.contact_id === undefined
        ? await listByBlocks(sql, view, filter, page)
        : await listOfContact(sql, view, filter, filter.contact_id, page);
  return pageOf<TransactionRow>(rows, "contact_id");
}

/** The newest entries. Entries are numbered without a gap, so the last number is the total. */
function listNewest(
  sql: Connection,
  { businessId, timeZone }: LedgerView,
  page: PageRequest,
): Promise<CountedTransaction[]> {
  return sql<CountedTransaction[]>`
    WITH listed AS (
      SELECT entry_no, created_at, event_type, contact_id, reference_id, amount, balance_after FROM ledger_entry
      WHERE business_id = ${businessId} ORDER BY created_at DESC, entry_no DESC
      LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT event_type, contact_id, reference_id, amount, balance_after, last_entry_no AS total,
      to_char(created_at AT TIME ZONE ${timeZone}::text, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM ledger LEFT JOIN listed ON true WHERE business_id = ${businessId}
    ORDER BY listed.created_at DESC, entry_no DESC`;
}

/** Counts all entries of the contact that match, and reads all that precede the page. */
function listOfContact(
  sql: Connection,
  view: LedgerView,
  filter: TransactionFilter,
  contactId: number,
  page: PageRequest,
): Promise<CountedTransaction[]> {
  const terms = termsOf(view, filter);
  const from = fragment`FROM ledger_entry
    WHERE business_id = ${terms.businessId} AND contact_id = ${contactId} ${matches(terms)}`;
  return sql<CountedTransaction[]>`
    WITH ${terms.days}, counted AS MATERIALIZED (SELECT count(*) AS total ${from}),
    listed AS (
      SELECT entry_no, created_at, event_type, contact_id, reference_id, amount, balance_after ${from}
      ORDER BY created_at DESC, entry_no DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT event_type, contact_id, reference_id, amount, balance_after, total,
      to_char(created_at AT TIME ZONE ${terms.timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM counted LEFT JOIN listed ON true
    ORDER BY listed.created_at DESC, entry_no DESC`;
}
