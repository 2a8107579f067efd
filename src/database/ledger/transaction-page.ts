/**
 * Reads a page of the ledger by the counts of blocks. The list is laid out as parts that follow each other, newest
 * first: the entries that no block counts yet, then groups, and the blocks of a group that the dates cut. The count of
 * each part tells how many entries come before it. Where the page falls on a group, its blocks are laid out in turn.
 * Entries are read only of the few parts that remain.
 */
import { type EventType, eventTypeNames } from "../../domain/ledger.ts";
import { offsetOf, type PageRequest } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import {
  type LedgerView,
  matches,
  type TransactionFilter,
  type TransactionTerms,
  termsOf,
} from "./transaction-filter.ts";
import type { CountedTransaction } from "./transaction-list.ts";

const newestFirst = raw("ORDER BY part.from_at DESC, part.from_no DESC");

/** The rows of the page, each with the total; a page without rows is one row of nulls. */
export function listByBlocks(
  sql: Connection,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<CountedTransaction[]> {
  const terms = termsOf(view, filter);
  const counts = countsOf(terms, filter.event_types);
  const first = fragment`${offsetOf(page)}::bigint`;
  const end = fragment`${offsetOf(page) + page.perPage}::bigint`;
  const onPage = fragment`items > 0 AND before < ${end} AND before + items > ${first}`;
  const blocks = blocksWithin(terms, counts);
  const cut =
    terms.begins || terms.ends
      ? fragment`UNION ALL SELECT 0 AS level, block.* FROM ledger_group AS within, ${blocks} AS block WHERE NOT whole`
      : fragment``;
  return sql<CountedTransaction[]>`
    WITH ${terms.days}, ledger_group AS MATERIALIZED (${groups(terms, counts)}), part AS (
      ${uncounted(terms)}
      UNION ALL
      SELECT 1 AS level, from_at, from_no, until_at, until_no, items FROM ledger_group WHERE whole
      ${cut}
    ), placed AS MATERIALIZED (
      SELECT part.*, sum(items) OVER (${newestFirst}) - items AS before FROM part
    ), picked AS MATERIALIZED (
      SELECT * FROM placed WHERE ${onPage}
    ), laid_out AS (
      SELECT from_at, from_no, until_at, until_no, items, before FROM picked WHERE level = 0
      UNION ALL
      SELECT part.*, within.before + sum(part.items) OVER (PARTITION BY within.before ${newestFirst}) - part.items
      FROM picked AS within, ${blocks} AS part WHERE within.level = 1
    ), listed AS (
      SELECT entry.* FROM laid_out CROSS JOIN LATERAL (
        SELECT entry_no, created_at, event_type, contact_id, reference_id, amount, balance_after FROM ledger_entry
        WHERE business_id = ${terms.businessId} AND ${liesIn("laid_out")} ${matches(terms)}
        ORDER BY created_at DESC, entry_no DESC
        OFFSET greatest(${first} - before, 0) LIMIT least(before + items, ${end}) - greatest(before, ${first})
      ) AS entry
      WHERE ${onPage}
    )
    SELECT event_type, contact_id, reference_id, amount, balance_after, total,
      to_char(created_at AT TIME ZONE ${terms.timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM (SELECT sum(items)::bigint AS total FROM placed) AS counted LEFT JOIN listed ON true
    ORDER BY listed.created_at DESC, entry_no DESC`;
}

/** The groups, with how many of their entries match. Reading the counts one by one would take half of a page's time. */
function groups(terms: TransactionTerms, counts: BlockCounts | undefined): Fragment {
  const counted =
    counts &&
    fragment`LEFT JOIN (
      SELECT from_at, from_no, ${counts.matching} AS matching FROM ledger_block_count
      WHERE business_id = ${terms.businessId} AND level = 1 AND location_id = ANY (${counts.locationIds})
      GROUP BY from_at, from_no
    ) AS summed USING (from_at, from_no)`;
  return fragment`
    SELECT from_at, from_no, until_at, until_no, ${isWhole(terms)} AS whole,
      ${raw(counts ? "coalesce(matching, 0)" : "entries")} AS items
    FROM ledger_block AS block ${counted ?? fragment``}
    WHERE business_id = ${terms.businessId} AND level = 1 ${touchesDates(terms)}`;
}

/** The entries that no block counts yet: all that come after the last block. */
function uncounted(terms: TransactionTerms): Fragment {
  return fragment`
    SELECT 0 AS level, from_at, from_no, until_at, until_no, (
      SELECT count(*)::integer FROM ledger_entry
      WHERE business_id = ${terms.businessId} AND ${liesIn("last")} ${matches(terms)}
    ) AS items
    FROM (
      SELECT coalesce(max(until_at), '-infinity') AS from_at, coalesce(max(until_no), 0) AS from_no,
        'infinity'::timestamptz AS until_at, 0::bigint AS until_no
      FROM (
        SELECT until_at, until_no FROM ledger_block WHERE business_id = ${terms.businessId} AND level = 0
        ORDER BY from_at DESC, from_no DESC LIMIT 1
      ) AS newest
    ) AS last`;
}

/**
 * The blocks of the group `within`; blocks that the dates cut are counted entry by entry. With OFFSET 0 they are looked
 * up group by group, and counted once: otherwise all blocks within the dates would be read.
 */
function blocksWithin(terms: TransactionTerms, counts: BlockCounts | undefined): Fragment {
  const counted =
    counts &&
    fragment`(
      SELECT coalesce(${counts.matching}, 0)
      FROM unnest(${counts.locationIds}) AS visible (location_id) CROSS JOIN LATERAL (
        SELECT entries, by_event_type FROM ledger_block_count
        WHERE business_id = ${terms.businessId} AND level = 0 AND location_id = visible.location_id
          AND from_at = block.from_at AND from_no = block.from_no
        OFFSET 0
      ) AS count
    )`;
  return fragment`LATERAL (
    SELECT from_at, from_no, until_at, until_no, CASE WHEN ${isWhole(terms)} THEN ${counted ?? raw("entries")} ELSE (
      SELECT count(*)::integer FROM ledger_entry
      WHERE business_id = ${terms.businessId} AND ${liesIn("block")} ${matches(terms)}
    ) END AS items
    FROM ledger_block AS block
    WHERE business_id = ${terms.businessId} AND level = 0
      AND (from_at, from_no) >= (within.from_at, within.from_no)
      AND (from_at, from_no) < (within.until_at, within.until_no) ${touchesDates(terms)}
    OFFSET 0
  )`;
}

/** Where the counts of matching entries are. */
interface BlockCounts {
  /** How many entries match, as a sum over counts. */
  readonly matching: Fragment;
  /** The locations of the counts to sum up, an array. */
  readonly locationIds: Fragment;
}

/** @returns undefined where all entries of a block match */
function countsOf(
  { locationIds }: TransactionTerms,
  eventTypes: readonly EventType[] | undefined,
): BlockCounts | undefined {
  if (eventTypes === undefined && locationIds === undefined) return undefined;
  // A type that the caller names twice is summed once.
  const entries = [...new Set(eventTypes)]
    .map((name) => fragment`by_event_type[${eventTypeNames.indexOf(name) + 1}::integer]`)
    .reduce((sum, next) => fragment`${sum} + ${next}`, raw(eventTypes ? "0" : "entries"));
  return {
    matching: fragment`sum(${entries})::integer`,
    locationIds: locationIds ?? raw("'{-1}'::bigint[]"),
  };
}

const liesIn = (part: string) =>
  raw(`(created_at, entry_no) >= (${part}.from_at, ${part}.from_no)
    AND (created_at, entry_no) < (${part}.until_at, ${part}.until_no)`);

function isWhole({ begins, ends }: TransactionTerms): Fragment {
  const beginsBefore = begins ? fragment`from_at >= ${begins}` : raw("true");
  return ends ? fragment`${beginsBefore} AND until_at < ${ends}` : beginsBefore;
}

function touchesDates({ begins, ends }: TransactionTerms): Fragment {
  return fragment`
    ${begins ? fragment`AND until_at >= ${begins}` : fragment``} ${ends ? fragment`AND from_at < ${ends}` : fragment``}`;
}
