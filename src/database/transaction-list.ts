/**
 * The transaction list. Of one contact, its entries are counted and read directly, at the cost of that
 * contact's entries, and so are the newest of all. Otherwise the blocks of ledger-blocks.ts give the total and
 * lead to the page, so that any page costs about the same however long the ledger is.
 */
import type { EventType } from "../domain/ledger.ts";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import { type Connection, type Database, plannedOnce } from "./connection.ts";
import { FirstPageStatement, PageColumns, type SelectedPage } from "./page.ts";
import { FixedStatement, Parameters } from "./parameters.ts";
import type { DatabasePools } from "./pools.ts";
import {
  isWholeLedger,
  type LedgerView,
  matches,
  type TransactionFilter,
  termsOf,
} from "./transaction-filter.ts";
import { pageByBlocks } from "./transaction-page.ts";

export interface TransactionRow {
  readonly event_type: EventType;
  readonly contact_id: number;
  readonly reference_id: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly created_at: string;
}

const columns = new PageColumns<TransactionRow>([
  "event_type",
  "contact_id",
  "reference_id",
  "amount",
  "balance_after",
  "created_at",
]);

/** A page of the whole ledger that ends within these is read from the newest entry on. */
const newestEntries = 1000;

/** A page of the ledger, newest first, with the total; both from one snapshot, that of the one statement. */
export async function listTransactions(
  { sql, lookUps }: Pick<DatabasePools, "sql" | "lookUps">,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  if (isWholeLedger(view, filter) && offsetOf(page) + page.perPage <= newestEntries) {
    return listNewest(lookUps, view, page);
  }
  return filter.contact_id === undefined
    ? listByBlocks(sql, view, filter, page)
    : listOfContact(sql, view, filter, filter.contact_id, page);
}

/** The first pages of the whole ledger are read as they come; its entries are numbered without a gap. */
const newestText = (limit: string) => `
  WITH listed AS (
    SELECT entry_no, created_at, event_type, contact_id, reference_id, amount, balance_after FROM ledger_entry
    WHERE business_id = :business_id ORDER BY created_at DESC, entry_no DESC ${limit}
  )
  SELECT event_type, contact_id, reference_id, amount, balance_after, last_entry_no AS total,
    to_char(created_at AT TIME ZONE :time_zone, 'YYYY-MM-DD HH24:MI:SS') AS created_at
  FROM ledger LEFT JOIN listed ON true WHERE business_id = :business_id
  ORDER BY listed.created_at DESC, entry_no DESC`;

type OfLedger = "business_id" | "time_zone";
const newest = {
  first: new FirstPageStatement<TransactionRow, OfLedger>(columns, newestText),
  later: new FixedStatement<OfLedger | "limit" | "offset">(
    columns.select(newestText("LIMIT :limit OFFSET :offset")),
  ),
};

async function listNewest(
  sql: Connection,
  { businessId, timeZone }: LedgerView,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  const ledger = { business_id: businessId, time_zone: timeZone };
  if (page.page === 1) return newest.first.read(sql, page.perPage, ledger);
  const place = { ...ledger, limit: page.perPage, offset: offsetOf(page) };
  return columns.page(await newest.later.send<SelectedPage>(sql, place));
}

async function listByBlocks(
  sql: Database,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  const parameters = new Parameters();
  const statement = columns.select(pageByBlocks(parameters, view, filter, page));
  return columns.page(await plannedOnce(sql, (tx) => parameters.run<SelectedPage>(tx, statement)));
}

/** Counts all that matches, and reads all that precedes the page. */
async function listOfContact(
  sql: Connection,
  view: LedgerView,
  filter: TransactionFilter,
  contactId: number,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  const parameters = new Parameters();
  const terms = termsOf(view, filter, parameters);
  const from = `FROM ledger_entry
    WHERE business_id = ${terms.businessId} AND contact_id = ${parameters.add(contactId, "bigint")} ${matches(terms)}`;
  const limit = parameters.add(page.perPage, "bigint");
  const offset = parameters.add(offsetOf(page), "bigint");
  const statement = columns.select(`
    WITH ${terms.days}, counted AS MATERIALIZED (SELECT count(*) AS total ${from}),
    listed AS (
      SELECT entry_no, created_at, event_type, contact_id, reference_id, amount, balance_after ${from}
      ORDER BY created_at DESC, entry_no DESC LIMIT ${limit} OFFSET ${offset}
    )
    SELECT event_type, contact_id, reference_id, amount, balance_after, total,
      to_char(created_at AT TIME ZONE ${terms.timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM counted LEFT JOIN listed ON true
    ORDER BY listed.created_at DESC, entry_no DESC`);
  return columns.page(await parameters.run<SelectedPage>(sql, statement));
}
