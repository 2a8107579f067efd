/** Reads the rows of statements: the first row, a page of a list with its total, and times. */
import type { FairQueue } from "../domain/fair-queue.ts";
import { offsetOf, type Page, type PageRequest, type Place, pageOf, readFor } from "../domain/pagination.ts";
import type { Connection, Share } from "./connection.ts";
import { type Fragment, fragment, list, raw } from "./sql.ts";

/** @returns undefined when there is no row */
export async function firstRow<Row>(rows: Promise<readonly Row[]>): Promise<Row | undefined> {
  return (await rows)[0];
}

/** The first row of a statement that always has one. @throws when there is none */
export async function requiredRow<Row>(rows: Promise<readonly Row[]>): Promise<Row> {
  const [row] = await rows;
  if (row === undefined) throw new Error("a statement returned no row");
  return row;
}

/**
 * Splits the rows of a statement into the rows of a list and its total. Every row has the total. An empty page is one row of nulls
 * with the total. A statement for a page after a place has no total.
 * @param id a column that is null in no row of the list
 */
export function splitTotal<Row extends object>(
  rows: readonly (Row & { readonly total?: number })[],
  id: keyof Row,
): { rows: Row[]; total: number | undefined } {
  const present = rows.filter((row) => row[id] !== null);
  return { total: rows[0]?.total, rows: present.map(({ total: _, ...row }) => row as unknown as Row) };
}

/** The connections for the statements of a list. */
export interface ListSource {
  readonly sql: Share;
  /** For statements that read a few rows. */
  readonly lookUps: Connection;
  /** For statements that read all rows that match, if there may be more than `fewRows`; by business. */
  readonly scans: FairQueue;
}

/** Up to this many rows are read or counted without a turn among scans. */
export const fewRows = 1000;

/**
 * Reads a list, in its turn among scans if it may read more than `fewRows` rows.
 * @param of FROM and WHERE of the rows that it may read: those that an index finds
 */
export async function inTurn<Read>(
  { sql, scans }: Pick<ListSource, "sql" | "scans">,
  owner: number,
  of: Fragment,
  read: () => Promise<Read>,
): Promise<Read> {
  const { rows } = await requiredRow(sql<{ rows: number }[]>`
    SELECT count(*) AS rows FROM (SELECT ${of} LIMIT ${fewRows + 1}) AS found`);
  return rows <= fewRows ? read() : scans.run(owner, read);
}

/** A column by which a list is sorted. It is never null. */
export interface SortColumn {
  /** Its name, or an expression. */
  readonly by: string;
  readonly type: string;
  readonly isDescending: boolean;
}

export const newestFirst = (id: string): readonly SortColumn[] => [
  { by: id, type: "bigint", isDescending: true },
];
export const oldestFirst = (id: string): readonly SortColumn[] => [
  { by: id, type: "bigint", isDescending: false },
];

/** The list of ORDER BY. */
const orderOf = (sort: readonly SortColumn[]): Fragment =>
  raw(sort.map(({ by, isDescending }) => (isDescending ? `${by} DESC` : by)).join(", "));

/** The condition that an item follows a place, which begins with AND; none without a place. */
export function behind(sort: readonly SortColumn[], after: Place | undefined): Fragment {
  if (after === undefined) return fragment``;
  const [first] = sort as [SortColumn];
  if (sort.every(({ isDescending }) => isDescending === first.isDescending)) {
    const values = sort.map(({ type }, index) => fragment`${after[index] as string}::${raw(type)}`);
    const columns = raw(sort.map(({ by }) => by).join(", "));
    return fragment`AND (${columns}) ${raw(first.isDescending ? "<" : ">")} (${list(values)})`;
  }
  return fragment`AND ${behindOneByOne(sort, after)}`;
}

/** The same if some columns are sorted in the other direction. PostgreSQL can't compare rows in such an order. */
function behindOneByOne([column, ...others]: readonly SortColumn[], [value, ...rest]: Place): Fragment {
  if (column === undefined) return fragment`false`;
  const [by, given] = [raw(column.by), fragment`${value as string}::${raw(column.type)}`];
  return fragment`(${by} ${raw(column.isDescending ? "<" : ">")} ${given} OR ${by} = ${given} AND ${behindOneByOne(others, rest)})`;
}

/** A list that is short enough to be counted. */
export interface CountedList {
  readonly columns: Fragment;
  /** FROM, and WHERE with the conditions. */
  readonly from: Fragment;
  /** The columns of the order, which no two items have in common. */
  readonly sort: readonly SortColumn[];
  /**
   * Joins that find the rows of the columns by the sorted columns, which are those of `listed`. With them, items before the page and
   * their number are only read in the index, if it has the columns of `from`: a third of the time of the last of many pages.
   */
  readonly joins?: Fragment;
}

/** A page of a list. Its rows and the total come from one snapshot. */
export async function readPage<Row extends object>(
  sql: Connection,
  { columns, from, sort, joins }: CountedList,
  page: PageRequest,
): Promise<Page<Row>> {
  const place = list(sort.map(({ by }) => fragment`(${raw(by)})::text`));
  const onPage = fragment`${from} ${behind(sort, page.after)}
    ORDER BY ${orderOf(sort)} LIMIT ${readFor(page)} OFFSET ${offsetOf(page)}`;
  const sorted = raw(sort.map(({ by }) => by).join(", "));
  const found = joins
    ? fragment`SELECT ${columns}, ARRAY[${place}] AS place FROM (SELECT ${sorted} ${onPage}) AS listed ${joins}
        ORDER BY ${orderOf(sort)}`
    : fragment`SELECT ${columns}, ARRAY[${place}] AS place ${onPage}`;
  type Read = Row & { readonly place: Place; readonly nth?: number };
  const { rows, total } = splitTotal(
    page.after === undefined
      ? await sql<(Read & { readonly total: number })[]>`
          WITH counted AS MATERIALIZED (SELECT count(*) AS total ${from}),
          listed AS (SELECT row_number() OVER () AS nth, found.* FROM (${found}) AS found)
          SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY listed.nth`
      : await sql<Read[]>`${found}`,
    "place",
  );
  const read = pageOf(page, rows, total, ({ place }) => place);
  return { ...read, rows: read.rows.map(({ place: _, nth: __, ...row }) => row as unknown as Row) };
}

/** A business, and the time zone in which its times are read. */
export interface BusinessTime {
  readonly businessId: number;
  /** IANA name. */
  readonly timeZone: string;
}

/** An instant as wall-clock time, YYYY-MM-DD HH:MM:SS. @param timeZone a name, or an expression */
export function wallClock(instant: string | Fragment, timeZone: string | Fragment): Fragment {
  const zone = typeof timeZone === "string" ? fragment`${timeZone}::text` : timeZone;
  const at = typeof instant === "string" ? raw(instant) : instant;
  return fragment`to_char(${at} AT TIME ZONE ${zone}, 'YYYY-MM-DD HH24:MI:SS')`;
}

/**
 * The first instant of a wall-clock time. If clocks are set back, a time occurs twice, and AT TIME ZONE takes the second
 * instant. The offset of the previous day gives the first one.
 */
export function firstInstant(time: Fragment, zone: Fragment): Fragment {
  const perhapsFirst = fragment`((${time}::timestamp - interval '24 hours') AT TIME ZONE ${zone} + interval '24 hours')`;
  return fragment`least(${time}::timestamp AT TIME ZONE ${zone},
    CASE WHEN ${perhapsFirst} AT TIME ZONE ${zone} = ${time}::timestamp THEN ${perhapsFirst} END)`;
}
