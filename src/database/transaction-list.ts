/**
 * The transaction list. Of one contact, its entries are counted and read directly, at the cost of that
 * contact's entries, and so are the newest of all. Otherwise the blocks of ledger-blocks.ts give the total and
 * lead to the page, so that any page costs about the same however long the ledger is.
 */
import type { Fragment } from "postgres";
import { type EventType, eventTypeNames } from "../domain/ledger.ts";
import { itemsOf, type Slice, sliceSegments } from "../domain/ledger-pages.ts";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import { type Connection, inSnapshot } from "./connection.ts";
import { limitTo, pageOf } from "./page.ts";
import type { DatabasePools } from "./pools.ts";
import {
  endInstant,
  firstInstant,
  isWholeLedger,
  type LedgerView,
  matches,
  queryOf,
  type TransactionFilter,
  type TransactionQuery,
} from "./transaction-filter.ts";

export interface TransactionRow {
  readonly event_type: EventType;
  readonly contact_id: number;
  readonly reference_id: string;
  readonly amount: number;
  readonly balance_after: number;
  readonly created_at: string;
}

/** A page of the whole ledger that ends within these is read from the newest entry on. */
const newestEntries = 1000;

/** A page of the ledger, newest first, with the total; both from one snapshot. */
export async function listTransactions(
  { sql, lookUps }: Pick<DatabasePools, "sql" | "lookUps">,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  const query = queryOf(view, filter);
  if (filter.contact_id !== undefined) return listOfContact(sql, query, filter.contact_id, page);
  if (isWholeLedger(query) && offsetOf(page) + page.perPage <= newestEntries)
    return listNewest(lookUps, query, page);
  return inSnapshot(sql, async (tx) => {
    const [groups, tail] = await Promise.all([findGroups(tx, query), countTail(tx, query)]);
    const segments: Stretch[] = [tail];
    const cut = groups.filter((group) => !group.whole);
    const cutBlocks = cut.length === 0 ? [] : await findBlocks(tx, query, cut);
    // A group that the dates cut gives way to its blocks.
    for (const group of groups) {
      if (group.whole) segments.push(group);
      else segments.push(...cutBlocks.filter((block) => block.group === cut.indexOf(group)));
    }
    const total = itemsOf(segments);
    const slices = await expandGroups(tx, query, sliceSegments(segments, offsetOf(page), page.perPage));
    return { total, rows: slices.length === 0 ? [] : await readSlices(tx, query, slices) };
  });
}

/** A stretch of the list with how many entries in it match; the bounds are in list order. */
interface Stretch {
  readonly from_at: string;
  readonly from_no: number;
  readonly until_at: string;
  readonly until_no: number;
  readonly items: number;
  /** 1 for a group, which leads to blocks; 0 for what can be read itself. */
  readonly level: 0 | 1;
}

interface GroupStretch extends Stretch {
  /** Whether the dates leave it whole. */
  readonly whole: boolean;
}

/** The groups that the dates touch, newest first; the count of one that they cut means nothing yet. */
async function findGroups(tx: Connection, query: TransactionQuery): Promise<GroupStretch[]> {
  return tx<GroupStretch[]>`
    SELECT 1 AS level, g.from_at, g.from_no, g.until_at, g.until_no, ${isWhole(tx, query)} AS whole,
      ${countedIn(tx, query)} AS items
    FROM ledger_block g
    WHERE g.business_id = ${query.view.businessId} AND g.level = 1 ${touchesDates(tx, query)}
    ORDER BY g.from_at DESC, g.from_no DESC`;
}

/** The entries that are in no block yet: all that come after the last one. */
async function countTail(tx: Connection, query: TransactionQuery): Promise<Stretch> {
  const [tail] = await tx<Stretch[]>`
    WITH last AS (
      SELECT coalesce(max(until_at), '-infinity') AS until_at, coalesce(max(until_no), 0) AS until_no
      FROM (
        SELECT until_at, until_no FROM ledger_block WHERE business_id = ${query.view.businessId} AND level = 0
        ORDER BY from_at DESC, from_no DESC LIMIT 1
      ) AS newest
    )
    SELECT 0 AS level, last.until_at AS from_at, last.until_no AS from_no, 'infinity' AS until_at, 0 AS until_no,
      (
        SELECT count(*) FROM ledger_entry
        WHERE business_id = ${query.view.businessId} AND (created_at, entry_no) >= (last.until_at, last.until_no)
          ${matches(tx, query)}
      ) AS items
    FROM last`;
  return tail as Stretch;
}

interface BlockStretch extends Stretch {
  /** Which of the groups asked for it belongs to. */
  readonly group: number;
}

/**
 * The blocks of groups, newest first; those that the dates cut are counted entry by entry. OFFSET 0 has the blocks
 * looked up group by group: joined otherwise, all blocks within the dates would be read.
 */
async function findBlocks(
  tx: Connection,
  query: TransactionQuery,
  groups: readonly Stretch[],
): Promise<BlockStretch[]> {
  return tx<BlockStretch[]>`
    SELECT 0 AS level, (w.nth - 1)::integer AS "group", g.from_at, g.from_no, g.until_at, g.until_no,
      CASE WHEN ${isWhole(tx, query)} THEN ${countedIn(tx, query)} ELSE (
        SELECT count(*) FROM ledger_entry
        WHERE business_id = ${query.view.businessId}
          AND (created_at, entry_no) >= (g.from_at, g.from_no) AND (created_at, entry_no) < (g.until_at, g.until_no)
          ${matches(tx, query)}
      ) END AS items
    FROM unnest(${groups.map((group) => group.from_at)}::timestamptz[],
        ${groups.map((group) => group.from_no)}::bigint[], ${groups.map((group) => group.until_at)}::timestamptz[],
        ${groups.map((group) => group.until_no)}::bigint[])
      WITH ORDINALITY AS w (from_at, from_no, until_at, until_no, nth)
    CROSS JOIN LATERAL (
      SELECT * FROM ledger_block
      WHERE business_id = ${query.view.businessId} AND level = 0
        AND (from_at, from_no) >= (w.from_at, w.from_no) AND (from_at, from_no) < (w.until_at, w.until_no)
      OFFSET 0
    ) AS g
    WHERE true ${touchesDates(tx, query)}
    ORDER BY g.from_at DESC, g.from_no DESC`;
}

/** Replaces the slices of groups by slices of their blocks. */
async function expandGroups(
  tx: Connection,
  query: TransactionQuery,
  slices: readonly Slice<Stretch>[],
): Promise<Slice<Stretch>[]> {
  const groups = slices.filter(({ segment }) => segment.level === 1);
  if (groups.length === 0) return [...slices];
  const blocks = await findBlocks(
    tx,
    query,
    groups.map(({ segment }) => segment),
  );
  return slices.flatMap((slice) => {
    const nth = groups.indexOf(slice);
    if (nth === -1) return [slice];
    return sliceSegments(
      blocks.filter((block) => block.group === nth),
      slice.skip,
      slice.take,
    );
  });
}

function readSlices(
  tx: Connection,
  query: TransactionQuery,
  slices: readonly Slice<Stretch>[],
): Promise<TransactionRow[]> {
  const bounds = (name: "from_at" | "until_at" | "from_no" | "until_no") =>
    slices.map(({ segment }) => segment[name]) as never[];
  return tx<TransactionRow[]>`
    SELECT e.event_type, e.contact_id, e.reference_id, e.amount, e.balance_after,
      to_char(e.created_at AT TIME ZONE ${query.view.timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM unnest(${bounds("from_at")}::timestamptz[], ${bounds("from_no")}::bigint[],
        ${bounds("until_at")}::timestamptz[], ${bounds("until_no")}::bigint[],
        ${slices.map(({ skip }) => skip)}::bigint[], ${slices.map(({ take }) => take)}::bigint[])
      WITH ORDINALITY AS w (from_at, from_no, until_at, until_no, skip, take, nth)
    CROSS JOIN LATERAL (
      SELECT * FROM ledger_entry
      WHERE business_id = ${query.view.businessId}
        AND (created_at, entry_no) >= (w.from_at, w.from_no) AND (created_at, entry_no) < (w.until_at, w.until_no)
        ${matches(tx, query)}
      ORDER BY created_at DESC, entry_no DESC OFFSET w.skip LIMIT w.take
    ) AS e
    ORDER BY w.nth, e.created_at DESC, e.entry_no DESC`;
}

/** How many entries of block or group g match, by its counts. */
function countedIn(tx: Connection, { view, filter: { event_types }, locationIds }: TransactionQuery) {
  if (event_types === undefined && locationIds === undefined) return tx`g.entries`;
  // A type that the caller names twice is summed once.
  const wanted = event_types && [...new Set(event_types)].map((name) => eventTypeNames.indexOf(name) + 1);
  const entries =
    wanted === undefined
      ? tx`c.entries`
      : wanted
          .map((place) => tx`c.by_event_type[${place}::integer]`)
          .reduce((sum, one) => tx`${sum} + ${one}`);
  return tx`(
    SELECT coalesce(sum(${entries}), 0)::bigint FROM ledger_block_count c
    WHERE c.business_id = ${view.businessId} AND c.level = g.level
      AND c.location_id = ANY (${(locationIds ?? [-1]) as number[]}::bigint[])
      AND c.from_at = g.from_at AND c.from_no = g.from_no
  )`;
}

function isWhole(tx: Connection, query: TransactionQuery) {
  const { start_date, end_date } = query.filter;
  return tx`(true
    ${start_date === undefined ? tx`` : tx`AND g.from_at >= ${firstInstant(tx, query)}`}
    ${end_date === undefined ? tx`` : tx`AND g.until_at < ${endInstant(tx, query)}`})`;
}

function touchesDates(tx: Connection, query: TransactionQuery) {
  const { start_date, end_date } = query.filter;
  return tx`
    ${start_date === undefined ? tx`` : tx`AND g.until_at >= ${firstInstant(tx, query)}`}
    ${end_date === undefined ? tx`` : tx`AND g.from_at < ${endInstant(tx, query)}`}`;
}

function listOfContact(
  sql: Connection,
  query: TransactionQuery,
  contactId: number,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  const from = sql`FROM ledger_entry
    WHERE business_id = ${query.view.businessId} AND contact_id = ${contactId} ${matches(sql, query)}`;
  const limit = sql`LIMIT ${page.perPage} OFFSET ${offsetOf(page)}`;
  return listAtOnce(sql, query.view, { from, total: sql`count(*) AS total ${from}`, limit });
}

/** The first pages of the whole ledger are read as they come; its entries are numbered without a gap. */
function listNewest(
  sql: Connection,
  query: TransactionQuery,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  const { businessId } = query.view;
  const from = sql`FROM ledger_entry WHERE business_id = ${businessId}`;
  const total = sql`last_entry_no AS total FROM ledger WHERE business_id = ${businessId}`;
  return listAtOnce(sql, query.view, { from, total, limit: limitTo(sql, page) });
}

/** A page in one statement, and so in one snapshot; it reads all that precedes it. */
async function listAtOnce(
  sql: Connection,
  { timeZone }: LedgerView,
  { from, total, limit }: Readonly<Record<"from" | "total" | "limit", Fragment>>,
): Promise<Page<TransactionRow>> {
  const rows = await sql<(TransactionRow & { total: number })[]>`
    WITH counted AS MATERIALIZED (SELECT ${total}),
    listed AS (
      SELECT entry_no, created_at, event_type, contact_id, reference_id, amount, balance_after ${from}
      ORDER BY created_at DESC, entry_no DESC ${limit}
    )
    SELECT event_type, contact_id, reference_id, amount, balance_after, total,
      to_char(created_at AT TIME ZONE ${timeZone}, 'YYYY-MM-DD HH24:MI:SS') AS created_at
    FROM counted LEFT JOIN listed ON true
    ORDER BY listed.created_at DESC, entry_no DESC`;
  return pageOf(rows, "event_type");
}
