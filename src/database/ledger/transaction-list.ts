/**
 * The transaction list. The newest entries of the whole ledger are read directly, and so are the entries of one
 * contact, which are also counted, at the cost of that contact's entries. Otherwise the counts of counts.ts give the
 * total and lead to the page.
 */
import { type EventType, eventTypeNames } from "../../domain/ledger.ts";
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { pageOf } from "../page.ts";
import type { DatabasePools } from "../pools.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import { allLocations } from "./counts.ts";
import {
  isWholeLedger,
  type LedgerView,
  matches,
  type TransactionFilter,
  type TransactionTerms,
  termsOf,
} from "./transaction-filter.ts";

export interface TransactionRow {
  readonly event_type: EventType;
  readonly contact_id: number;
  readonly reference_id: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly created_at: string;
}

type CountedTransaction = TransactionRow & { readonly total: number };

/** A page of the whole ledger that ends within these is read from the newest entry on. */
const newestEntries = 1000;

/** A page of the ledger, newest first, with the total. One statement reads both, so they come from one snapshot. */
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
        ? await listByCounts(sql, view, filter, page)
        : await listOfContact(sql, view, filter, filter.contact_id, page);
  return pageOf<TransactionRow>(rows, "contact_id");
}

/** Reads the newest entries. Numbers have no gap, so the last number is the total. */
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

/**
 * Finds a page by the numbers of its first and last row in the list without dates: in the groups, then in their blocks,
 * then in the blocks' entries. Dates only move these numbers, by how many matching entries are newer.
 */
function listByCounts(
  sql: Connection,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<CountedTransaction[]> {
  const terms = termsOf(view, filter);
  const { businessId, begins, ends } = terms;
  const counts = countsOf(terms, filter.event_types);
  const undated = matches({ ...terms, begins: undefined, ends: undefined });
  const since = (instant: Fragment) => countSince(businessId, instant, counts, undated);
  const first = fragment`${offsetOf(page)}::bigint`;
  const onPage = raw("items > 0 AND before < page.last AND before + items > page.first");
  const newestFirst = raw("ORDER BY part.from_at DESC, part.from_no DESC");
  return sql<CountedTransaction[]>`
    WITH ${terms.days}, ended AS MATERIALIZED (
      SELECT e.* FROM ledger_count CROSS JOIN LATERAL (VALUES (1, groups_end_at, groups_end_no),
        (0, blocks_end_at, blocks_end_no), (0, 'infinity', 0)) AS e (level, from_at, from_no)
      WHERE business_id = ${businessId}
    ), part AS MATERIALIZED (
      SELECT 1 AS level, * FROM (${counts(1, raw(""))}) AS grouped
      UNION ALL
      SELECT 0, ungrouped.* FROM ended CROSS JOIN LATERAL (
        ${counts(0, raw("AND (from_at, from_no) >= (ended.from_at, ended.from_no)"))}
      ) AS ungrouped
      WHERE ended.level = 1
      UNION ALL
      SELECT 0, from_at, from_no, (
        SELECT count(*) FROM ledger_entry
        WHERE business_id = ${businessId} AND (created_at, entry_no) >= (from_at, from_no) ${undated}
      ) FROM ended WHERE level = 0 AND from_at < 'infinity'
    ), dated AS MATERIALIZED (
      SELECT ${ends ? since(ends) : raw("0")}::bigint AS newer,
        ${begins ? since(begins) : raw("(SELECT sum(items) FROM part)")}::bigint AS since
    ), page AS MATERIALIZED (
      SELECT total, newer + ${first} AS first, newer + greatest(least(${first} + ${page.perPage}, total), ${first}) AS last
      FROM (SELECT newer, greatest(since - newer, 0) AS total FROM dated) AS counted
    ), picked AS MATERIALIZED (
      SELECT placed.* FROM page, (
        SELECT part.*, (sum(items) OVER newest_first - items)::bigint AS before,
          lag(from_at) OVER newest_first AS until_at, lag(from_no) OVER newest_first AS until_no
        FROM part WINDOW newest_first AS (${newestFirst})
      ) AS placed
      WHERE ${onPage}
    ), block AS (
      SELECT from_at, from_no, items, before FROM picked WHERE level = 0
      UNION ALL
      SELECT part.*, picked.before + (sum(part.items) OVER (PARTITION BY picked.before ${newestFirst}) - part.items)::bigint
      FROM picked CROSS JOIN LATERAL (${counts(
        0,
        raw(`AND (from_at, from_no) >= (picked.from_at, picked.from_no)
          AND (from_at, from_no) < (picked.until_at, picked.until_no)`),
      )}) AS part
      WHERE level = 1
    ), listed AS (
      SELECT entry.* FROM block CROSS JOIN page
      CROSS JOIN LATERAL (
        ${nextStart(businessId, 0, raw("(from_at, from_no) > (block.from_at, block.from_no)"))}
      ) AS until (at, no)
      CROSS JOIN LATERAL (
        SELECT entry_no, created_at, event_type, contact_id, reference_id, amount, balance_after FROM ledger_entry
        WHERE business_id = ${businessId} AND (created_at, entry_no) >= (from_at, from_no)
          AND (created_at, entry_no) < (until.at, until.no) ${undated}
        ORDER BY created_at DESC, entry_no DESC
        OFFSET greatest(page.first - before, 0) LIMIT least(before + items, page.last) - greatest(before, page.first)
      ) AS entry
      WHERE ${onPage}
    )
    SELECT event_type, contact_id, reference_id, amount, balance_after, total,
      to_char(created_at AT TIME ZONE ${terms.timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM page LEFT JOIN listed ON true
    ORDER BY listed.created_at DESC, entry_no DESC`;
}

/** A statement: how many matching entries each block (level 0) or group (level 1) of a range has, if any. */
type CountsOf = (level: 0 | 1, range: Fragment) => Fragment;

/** All event types are listed, too: so the counts are ranges of the index that begins with location and type. */
function countsOf(
  { businessId, locationIds }: TransactionTerms,
  eventTypes: readonly EventType[] = eventTypeNames,
): CountsOf {
  return (level, range) => fragment`
    SELECT from_at, from_no, sum(entries) AS items FROM entry_count
    WHERE business_id = ${businessId} AND level = ${level}
      AND location_id = ANY (${locationIds ?? fragment`ARRAY[${allLocations}]::bigint[]`})
      AND event_type = ANY (${eventTypes}::event_type[]) ${range}
    GROUP BY from_at, from_no`;
}

/** A statement: where the first block or group begins that meets a condition, or where they end. */
const nextStart = (businessId: number, level: 0 | 1, condition: Fragment) => fragment`
  SELECT from_at, from_no FROM (
    (SELECT from_at, from_no FROM entry_count
      WHERE business_id = ${businessId} AND level = ${level} AND ${condition} ORDER BY from_at, from_no LIMIT 1)
    UNION ALL
    SELECT from_at, from_no FROM ended WHERE level = ${level} AND ${condition}
  ) AS start ORDER BY from_at, from_no LIMIT 1`;

/**
 * An expression: how many matching entries there are from an instant on. They are the entries of the block in which the
 * instant lies, the later blocks of its group, and all later groups and what is in no group.
 */
function countSince(businessId: number, instant: Fragment, counts: CountsOf, undated: Fragment): Fragment {
  const later = fragment`from_at >= ${instant}`;
  const ofGroup = counts(
    0,
    fragment`AND ${later} AND (from_at, from_no) < (${nextStart(businessId, 1, later)})`,
  );
  return fragment`(
    (SELECT count(*) FROM ledger_entry WHERE business_id = ${businessId} AND created_at >= ${instant}
      AND (created_at, entry_no) < (${nextStart(businessId, 0, later)}) ${undated}) +
    (SELECT coalesce(sum(items), 0) FROM (${ofGroup}) AS of_group) +
    (SELECT coalesce(sum(items), 0) FROM part WHERE ${later})
  )`;
}
