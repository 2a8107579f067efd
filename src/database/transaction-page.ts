/**
 * The statement behind a page of the ledger that is found by the counts of blocks. The list is laid out as parts that
 * follow each other, newest first: what no block counts yet, groups, and in place of a group that the dates cut its
 * blocks. Of each part it is known how many entries match, and so how many come before it. Where the page falls on a
 * group, its blocks are laid out in turn; what is left are a few stretches, of which entries are read.
 */
import { type EventType, eventTypeNames } from "../domain/ledger.ts";
import { offsetOf, type PageRequest } from "../domain/pagination.ts";
import type { Parameters } from "./parameters.ts";
import {
  type LedgerView,
  matches,
  type TransactionFilter,
  type TransactionTerms,
  termsOf,
} from "./transaction-filter.ts";

/** @returns a statement for the rows of the page, each with the total; a page without rows is one row of nulls */
export function pageByBlocks(
  parameters: Parameters,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
): string {
  const terms = termsOf(view, filter, parameters);
  const counts = countsOf(terms, filter.event_types, parameters);
  const first = parameters.add(offsetOf(page), "bigint");
  const end = parameters.add(offsetOf(page) + page.perPage, "bigint");
  const onPage = `items > 0 AND before < ${end} AND before + items > ${first}`;
  const newestFirst = "ORDER BY part.from_at DESC, part.from_no DESC";
  const blocks = blocksWithin(terms, counts);
  const isCut = terms.begins !== undefined || terms.ends !== undefined;
  return `
    WITH ${terms.days}, ledger_group AS MATERIALIZED (${groups(terms, counts)}), part AS (
      ${uncounted(terms)}
      UNION ALL
      SELECT 1 AS level, from_at, from_no, until_at, until_no, items FROM ledger_group WHERE whole
      ${isCut ? `UNION ALL SELECT 0 AS level, block.* FROM ledger_group AS within, ${blocks} AS block WHERE NOT whole` : ""}
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
    FROM (SELECT sum(items) AS total FROM placed) AS counted LEFT JOIN listed ON true
    ORDER BY listed.created_at DESC, entry_no DESC`;
}

/**
 * The groups, with how many of their entries match. The counts of all of them are read in one go: one after the other,
 * they would take half of the time of a page.
 */
function groups(terms: TransactionTerms, counts: BlockCounts | undefined): string {
  const counted =
    counts &&
    `LEFT JOIN (
      SELECT from_at, from_no, ${counts.matching} AS matching FROM ledger_block_count
      WHERE ${counts.ofLevel("1")} GROUP BY from_at, from_no
    ) AS summed USING (from_at, from_no)`;
  return `
    SELECT from_at, from_no, until_at, until_no, ${isWhole(terms)} AS whole,
      ${counts ? "coalesce(matching, 0)" : "entries"} AS items
    FROM ledger_block AS block ${counted ?? ""}
    WHERE business_id = ${terms.businessId} AND level = 1 ${touchesDates(terms)}`;
}

/** The part that no block counts yet: all entries that come after the last block. */
function uncounted(terms: TransactionTerms): string {
  return `
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
 * The blocks of the group `within`; those that the dates cut are counted entry by entry. OFFSET 0 has them looked up
 * group by group, and counted once: joined otherwise, all blocks within the dates would be read.
 */
function blocksWithin(terms: TransactionTerms, counts: BlockCounts | undefined): string {
  const counted =
    counts &&
    `(
      SELECT coalesce(${counts.matching}, 0) FROM ledger_block_count
      WHERE ${counts.ofLevel("0")} AND from_at = block.from_at AND from_no = block.from_no
    )`;
  return `LATERAL (
    SELECT from_at, from_no, until_at, until_no, CASE WHEN ${isWhole(terms)} THEN ${counted ?? "entries"} ELSE (
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
  /** How many entries match, as a sum over rows of ledger_block_count. */
  readonly matching: string;
  /** The condition on the rows of a level that they are summed over. */
  readonly ofLevel: (level: string) => string;
}

/** @returns undefined where all entries of a block match */
function countsOf(
  { businessId, locationIds }: TransactionTerms,
  eventTypes: readonly EventType[] | undefined,
  parameters: Parameters,
): BlockCounts | undefined {
  if (eventTypes === undefined && locationIds === undefined) return undefined;
  // A type that the caller names twice is summed once.
  const places = eventTypes && [...new Set(eventTypes)].map((name) => eventTypeNames.indexOf(name) + 1);
  const entries = places?.map((place) => `by_event_type[${parameters.add(place, "integer")}]`).join(" + ");
  return {
    matching: `sum(${entries ?? "entries"})::integer`,
    ofLevel: (level) =>
      `business_id = ${businessId} AND level = ${level} AND location_id = ANY (${locationIds ?? "'{-1}'"})`,
  };
}

const liesIn = (stretch: string) =>
  `(created_at, entry_no) >= (${stretch}.from_at, ${stretch}.from_no)
    AND (created_at, entry_no) < (${stretch}.until_at, ${stretch}.until_no)`;

function isWhole({ begins, ends }: TransactionTerms): string {
  const limits = [begins && `from_at >= ${begins}`, ends && `until_at < ${ends}`].filter(Boolean);
  return limits.length === 0 ? "true" : limits.join(" AND ");
}

function touchesDates({ begins, ends }: TransactionTerms): string {
  return `${begins ? `AND until_at >= ${begins}` : ""} ${ends ? `AND from_at < ${ends}` : ""}`;
}
