/**
 * The transaction list. The newest entries of the whole ledger or of a member, and all of a member with few of them, are read
 * directly. Other lists find the page and the total by the counts of counts.ts.
 */
import type { LocationAccess } from "../../domain/access/access.ts";
import { type EventType, eventTypeNames } from "../../domain/ledger.ts";
import { offsetOf, type Page, type PageRequest, pageOf, readFor } from "../../domain/pagination.ts";
import type { Connection } from "../connection.ts";
import {
  type BusinessTime,
  fewRows,
  firstInstant,
  type ListSource,
  requiredRow,
  splitTotal,
  wallClock,
} from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import { allLocations, countsOf, entriesOf } from "./counts.ts";
import { allMembers } from "./day-totals.ts";
import { type EntryRow, lastEntryNo } from "./ledger.ts";

export interface TransactionFilter {
  readonly location_id?: number | undefined;
  readonly contact_id?: number | undefined;
  readonly event_types?: readonly EventType[] | undefined;
  /** Inclusive days, YYYY-MM-DD, in the business's time zone. */
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/** The part of a ledger that the caller may see, and the time zone of the business. */
export interface LedgerView extends BusinessTime {
  readonly locations: LocationAccess;
}

export type TransactionRow = Pick<
  EntryRow,
  | ("event_type" | "contact_id" | "reference_id" | "amount" | "balance_after" | "created_at")
  | ("entry_no" | "location_id" | "reason")
>;

type CountedTransaction = TransactionRow & { readonly total: number };

/** A page of the ledger, newest first, with the total. One statement reads both, so they come from one snapshot. */
export async function listTransactions(
  { sql, lookUps, scans }: ListSource,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<TransactionRow>> {
  const { contact_id, location_id, event_types, start_date, end_date } = filter;
  const limits = [location_id, event_types, start_date, end_date];
  const isFiltered = !view.locations.everywhere || limits.some((limit) => limit !== undefined);
  const list = async () => {
    if (!isFiltered && offsetOf(page) + readFor(page) <= fewRows) {
      return listDirectly(lookUps, view, filter, page, isFiltered);
    }
    if (contact_id !== undefined) {
      const count = lookUps<{ entries: number }[]>`${countOfContact(view, contact_id)}`;
      if ((await requiredRow(count)).entries <= fewRows)
        return listDirectly(sql, view, filter, page, isFiltered);
      // Each row may be in another block, whose entries are all over the table.
      if (isFiltered) return scans.run(view.businessId, () => listByCounts(sql, view, filter, page));
    }
    return listByCounts(sql, view, filter, page);
  };
  const { rows, total } = splitTotal<TransactionRow>(await list(), "contact_id");
  return pageOf(page, rows, total, ({ entry_no }) => [String(entry_no)]);
}

/** A statement that reads the number of a member's entries. */
const countOfContact = ({ businessId }: LedgerView, contactId: number) => fragment`
  SELECT coalesce(sum(entries), 0)::bigint AS entries FROM account
  WHERE business_id = ${businessId} AND contact_id = ${contactId}`;

/** A place in list order: created_at and entry_no. */
interface PlaceInSql {
  readonly at: Fragment;
  readonly no: Fragment;
}

/** The conditions of a filter, a page and the caller's locations, undefined where they exclude nothing. */
function conditionsOf(
  { businessId, timeZone, locations }: LedgerView,
  { location_id, event_types, start_date, end_date }: TransactionFilter,
  { after }: PageRequest,
) {
  // Entries without a location count as entries at location 0.
  const visible =
    location_id !== undefined ? [location_id] : locations.everywhere ? undefined : [0, ...locations.ids];
  const zone = fragment`${timeZone}::text`;
  const none = fragment`NULL::timestamptz`;
  const begins = start_date === undefined ? none : firstInstant(fragment`${start_date}::date`, zone);
  const ends = end_date === undefined ? none : firstInstant(fragment`(${end_date}::date + 1)`, zone);
  const [last] = after ?? [];
  const lastNo = fragment`${last ?? null}::bigint`;
  const lastAt = fragment`(SELECT created_at FROM ledger_entry WHERE business_id = ${businessId} AND entry_no = ${lastNo})`;
  const start = (column: string) => ({ at: raw(`(SELECT ${column} FROM days)`), no: raw("0") });
  return {
    locationIds: visible && fragment`${visible}::bigint[]`,
    /** The conditions on an entry, except dates. They begin with AND. */
    undated: fragment`
      ${visible ? fragment`AND coalesce(location_id, 0) = ANY (${visible}::bigint[])` : fragment``}
      ${event_types ? fragment`AND event_type = ANY (${event_types}::event_type[])` : fragment``}`,
    /** The first place of the dates, the first place after them, and the last place before the page. */
    begins: start_date === undefined ? undefined : start("begins"),
    ends: end_date === undefined ? undefined : start("ends"),
    after: after && { at: raw("(SELECT after FROM days)"), no: lastNo },
    /** The times of these places, so that each is computed once. */
    days: fragment`days AS MATERIALIZED (
      SELECT ${begins} AS begins, ${ends} AS ends, ${after ? lastAt : none} AS after
    )`,
  };
}

const entryColumns = raw(
  "entry_no, created_at, event_type, contact_id, reference_id, amount, balance_after, location_id, reason",
);

/** The end of a statement: the rows of its table `listed`, each with the total of the table with the given name. */
const listedWith = (total: string, timeZone: string) => fragment`
  SELECT event_type, contact_id, reference_id, amount, balance_after, total,
    ${wallClock("created_at", timeZone)} AS created_at, entry_no, location_id, reason
  FROM ${raw(total)} LEFT JOIN listed ON true
  ORDER BY listed.created_at DESC, entry_no DESC`;

/**
 * Reads the page by an offset. The total of the whole ledger is its last entry number. The total of a member is stored with its
 * accounts. If there are more conditions, the entries of the member are counted.
 */
function listDirectly(
  sql: Connection,
  view: LedgerView,
  filter: TransactionFilter,
  page: PageRequest,
  isFiltered: boolean,
): Promise<CountedTransaction[]> {
  const { undated, begins, ends, after, days } = conditionsOf(view, filter, page);
  const { businessId } = view;
  const { contact_id } = filter;
  const from = fragment`FROM ledger_entry WHERE business_id = ${businessId} ${undated}
    ${contact_id === undefined ? fragment`` : fragment`AND contact_id = ${contact_id}`}
    ${begins ? fragment`AND created_at >= ${begins.at}` : fragment``}
    ${ends ? fragment`AND created_at < ${ends.at}` : fragment``}`;
  const rest = after ? fragment`AND (created_at, entry_no) < (${after.at}, ${after.no})` : fragment``;
  const ofContact = contact_id !== undefined && countOfContact(view, contact_id);
  // Without a row, the business has been deleted meanwhile.
  const unfiltered = ofContact || fragment`SELECT ${lastEntryNo(businessId)}`;
  const total = after
    ? fragment`SELECT NULL::bigint`
    : isFiltered
      ? fragment`SELECT count(*) ${from}`
      : unfiltered;
  return sql<CountedTransaction[]>`
    WITH ${days}, counted (total) AS MATERIALIZED (${total}), listed AS (
      SELECT ${entryColumns} ${from} ${rest}
      ORDER BY created_at DESC, entry_no DESC LIMIT ${readFor(page)} OFFSET ${offsetOf(page)}
    )
    ${listedWith("counted", view.timeZone)}`;
}

/**
 * Finds a page by the positions of its first and last row: in the groups, then in their blocks, then in the entries of the
 * blocks. Positions count from the newest matching entry of all dates. With an end date, they begin after the newer entries.
 * A place is converted into a position first.
 */
function listByCounts(sql: Connection, view: LedgerView, filter: TransactionFilter, page: PageRequest) {
  const { locationIds, undated, begins, ends, after, days } = conditionsOf(view, filter, page);
  const counted = { businessId: view.businessId, contactId: filter.contact_id ?? allMembers };
  const ofCounts = countsOf(counted);
  const entries = fragment`FROM ledger_entry WHERE ${entriesOf(counted)} ${undated}`;
  const counts = matchingCounts(ofCounts, locationIds, filter.event_types);
  const since = (place: PlaceInSql) => countSince(place, { ofCounts, counts, entries });
  const first = after ? since(after) : fragment`newer + ${offsetOf(page)}::bigint`;
  const onPage = raw("items > 0 AND before < page.last AND before + items > page.first");
  const newestFirst = raw("ORDER BY part.from_at DESC, part.from_no DESC");
  return sql<CountedTransaction[]>`
    WITH ${days}, ended AS MATERIALIZED (
      SELECT level, coalesce(at, '-infinity') AS from_at, coalesce(no, 0) AS from_no
      FROM (SELECT) AS always LEFT JOIN ledger_count ON ${ofCounts}
      CROSS JOIN LATERAL (VALUES (1, groups_end_at, groups_end_no), (0, blocks_end_at, blocks_end_no),
        (0, 'infinity', 0)) AS e (level, at, no)
    ), part AS MATERIALIZED (
      SELECT 1 AS level, * FROM (${counts(1, raw(""))}) AS grouped
      UNION ALL
      SELECT 0, ungrouped.* FROM ended CROSS JOIN LATERAL (
        ${counts(0, raw("AND (from_at, from_no) >= (ended.from_at, ended.from_no)"))}
      ) AS ungrouped
      WHERE ended.level = 1
      UNION ALL
      SELECT 0, from_at, from_no, (
        SELECT count(*) ${entries} AND (created_at, entry_no) >= (from_at, from_no)
      ) FROM ended WHERE level = 0 AND from_at < 'infinity'
    ), dated AS MATERIALIZED (
      SELECT ${ends ? since(ends) : raw("0")}::bigint AS newer,
        ${begins ? since(begins) : raw("(SELECT sum(items) FROM part)")}::bigint AS since
    ), page AS MATERIALIZED (
      SELECT total, first, greatest(least(first + ${readFor(page)}, newer + total), first) AS last
      FROM (SELECT newer, greatest(since - newer, 0) AS total, (${first})::bigint AS first FROM dated) AS counted
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
        ${nextStart(ofCounts, 0, raw("(from_at, from_no) > (block.from_at, block.from_no)"))}
      ) AS until (at, no)
      CROSS JOIN LATERAL (
        SELECT ${entryColumns} ${entries} AND (created_at, entry_no) >= (from_at, from_no)
          AND (created_at, entry_no) < (until.at, until.no)
        ORDER BY created_at DESC, entry_no DESC
        OFFSET greatest(page.first - before, 0) LIMIT least(before + items, page.last) - greatest(before, page.first)
      ) AS entry
      WHERE ${onPage}
    )
    ${listedWith("page", view.timeZone)}`;
}

/** A statement that counts the matching entries of each block (level 0) or group (level 1) in a range. */
type CountsOf = (level: 0 | 1, range: Fragment) => Fragment;

/** Without a filter, the statement names all event types, to use the index that begins with location and type. */
function matchingCounts(
  ofCounts: Fragment,
  locationIds: Fragment | undefined,
  eventTypes: readonly EventType[] = eventTypeNames,
): CountsOf {
  return (level, range) => fragment`
    SELECT from_at, from_no, sum(entries) AS items FROM entry_count
    WHERE ${ofCounts} AND level = ${level}
      AND location_id = ANY (${locationIds ?? fragment`ARRAY[${allLocations}]::bigint[]`})
      AND event_type = ANY (${eventTypes}::event_type[]) ${range}
    GROUP BY from_at, from_no`;
}

/** A statement that finds the start of the first block or group that meets a condition, or the end of all. */
const nextStart = (ofCounts: Fragment, level: 0 | 1, condition: Fragment) => fragment`
  SELECT from_at, from_no FROM (
    (SELECT from_at, from_no FROM entry_count
      WHERE ${ofCounts} AND level = ${level} AND ${condition} ORDER BY from_at, from_no LIMIT 1)
    UNION ALL
    SELECT from_at, from_no FROM ended WHERE level = ${level} AND ${condition}
  ) AS start ORDER BY from_at, from_no LIMIT 1`;

/**
 * An expression that counts the matching entries from a place on: in the block that contains the place, in the later blocks of
 * its group, in all later groups, and after the groups.
 */
function countSince(
  { at, no }: PlaceInSql,
  { ofCounts, counts, entries }: { ofCounts: Fragment; counts: CountsOf; entries: Fragment },
): Fragment {
  const later = fragment`(from_at, from_no) >= (${at}, ${no})`;
  const ofGroup = counts(
    0,
    fragment`AND ${later} AND (from_at, from_no) < (${nextStart(ofCounts, 1, later)})`,
  );
  return fragment`(
    (SELECT count(*) ${entries} AND (created_at, entry_no) >= (${at}, ${no})
      AND (created_at, entry_no) < (${nextStart(ofCounts, 0, later)})) +
    (SELECT coalesce(sum(items), 0) FROM (${ofGroup}) AS of_group) +
    (SELECT coalesce(sum(items), 0) FROM part WHERE ${later})
  )`;
}

/** Its time is the wall-clock time of the business, YYYY-MM-DD HH:MM:SS. */
export type ExportedEntry = Omit<EntryRow, "business_id">;

export interface ExportPage {
  /** The row after which the page begins. */
  readonly after: number;
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
