/** Reads the rows of statements: the first row, a page of a list with its total, and times. */
import type { FairQueue } from "../domain/fair-queue.ts";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import type { Connection, Share } from "./connection.ts";
import { type Fragment, fragment, raw } from "./sql.ts";

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
 * Splits the rows of a paginated statement into rows and total. Every row has the total. An empty page is one row of nulls with
 * the total.
 * @param id a column that is null in no row of the list
 */
export function pageOf<Row extends object>(
  rows: readonly (Row & { readonly total: number; readonly nth?: number })[],
  id: keyof Row,
): Page<Row> {
  const present = rows.filter((row) => row[id] !== null);
  return {
    total: rows[0]?.total ?? 0,
    rows: present.map(({ total: _, nth: __, ...row }) => row as unknown as Row),
  };
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

export type Order = "oldest first" | "newest first";

/** A list that is short enough to be counted. */
export interface CountedList<Row> {
  readonly columns: Fragment;
  /** FROM with its conditions. */
  readonly from: Fragment;
  /** A column that is null in no row. By default, it orders the list. */
  readonly id: keyof Row & string;
  /** Or an ORDER BY list. */
  readonly order: Order | Fragment;
}

/** A page of a list, with the total; both from one snapshot. */
export async function readPage<Row extends object>(
  sql: Connection,
  { columns, from, id, order }: CountedList<Row>,
  page: PageRequest,
): Promise<Page<Row>> {
  const by = typeof order === "object" ? order : raw(order === "oldest first" ? id : `${id} DESC`);
  const rows = await sql<(Row & { readonly total: number })[]>`
    WITH counted AS MATERIALIZED (SELECT count(*) AS total ${from}),
    listed AS (
      SELECT row_number() OVER () AS nth, found.* FROM (
        SELECT ${columns} ${from} ORDER BY ${by} LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
      ) AS found
    )
    SELECT listed.*, counted.total FROM counted LEFT JOIN listed ON true ORDER BY listed.nth`;
  return pageOf<Row>(rows, id);
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
