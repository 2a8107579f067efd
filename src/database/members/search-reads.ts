/** The statements of searches for members (member-searches.ts). */
import { digitValues, firstDigit, IdsByBlock, idsInBlock } from "../../domain/ids-by-block.ts";
import type { ListedMember, MemberSearch } from "../../domain/member-search.ts";
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { SearchSample } from "../../domain/search-parts.ts";
import type { Connection, Database } from "../connection.ts";
import { pageOf } from "../page.ts";
import { plannedFor } from "../planning.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import { allMatches, matches } from "./matches.ts";

/** What a search found. */
export interface Matches {
  readonly matches: IdsByBlock;
  /** In which it was found, as PostgreSQL writes it (pg_snapshot). */
  readonly snapshot: string;
}

/** Identifies a server process among those of all servers. */
const serverProcess = raw("(SELECT pid || ' ' || backend_start FROM pg_stat_get_activity(pg_backend_pid()))");

/** The server process that responds. */
export async function whoAnswers(sql: Connection): Promise<string> {
  const [row] = await sql<{ server: string }[]>`SELECT ${serverProcess} AS server`;
  return row?.server ?? "";
}

/**
 * The condition on members that have changed and whose change a snapshot doesn't see. No member is ever deleted.
 * Members restored from a dump may bear the id of a transaction that is yet to come: that is not a change.
 */
function changedSince(businessId: number, snapshot: string): Fragment {
  const before = fragment`${snapshot}::pg_snapshot`;
  return fragment`
    business_id = ${businessId} AND changed_in >= pg_snapshot_xmin(${before})
    AND changed_in < pg_snapshot_xmax(pg_current_snapshot())
    AND NOT pg_visible_in_snapshot(changed_in, ${before})`;
}

export interface PageRead {
  /** Of the page. */
  readonly snapshot: string;
  readonly server: string;
  /** Undefined when members have changed since the matches were found. */
  readonly rows: ListedMember[] | undefined;
}

/** The columns of a member in a list. */
export const listedColumns = raw("member_id, contact_id, first_name, last_name, phone_number");

/**
 * Reads a page of what was found. The order of the changes and OFFSET 0 make each step use its one suitable index, also
 * for a business that the statistics don't know.
 */
export async function readPage(
  sql: Connection,
  businessId: number,
  found: Matches,
  page: PageRequest,
): Promise<PageRead> {
  const wanted = found.matches.highest(offsetOf(page), page.perPage);
  const rows = await sql<(ListedMember & { server: string; snapshot: string; unchanged: boolean })[]>`
    WITH state AS MATERIALIZED (
      SELECT ${serverProcess} AS server, pg_current_snapshot()::text AS snapshot, (
        SELECT changed_in FROM member WHERE ${changedSince(businessId, found.snapshot)}
        ORDER BY changed_in LIMIT 1
      ) IS NULL AS unchanged
    ), page AS (
      SELECT m.* FROM unnest(${wanted}::bigint[]) AS wanted (id) CROSS JOIN LATERAL (
        SELECT ${listedColumns} FROM member
        WHERE business_id = ${businessId} AND member_id = wanted.id OFFSET 0
      ) AS m
    )
    SELECT page.*, server, snapshot, unchanged FROM state LEFT JOIN page ON true ORDER BY member_id DESC`;
  const { server = "", snapshot = "", unchanged = false } = rows[0] ?? {};
  const members = rows.filter((row) => row.member_id !== null);
  return {
    server,
    snapshot,
    rows: unchanged
      ? members.map(({ server: _, snapshot: __, unchanged: ___, ...member }) => member)
      : undefined,
  };
}

export interface ChangedMember {
  readonly id: number;
  /** Whether the search finds it. */
  readonly there: boolean;
  /** In which snapshot this was looked up, and by which server process. */
  readonly snapshot: string;
  readonly server: string;
}

/**
 * Looks up the members that have changed since a search, in the order of the changes.
 * @returns more than `most` when there are too many, and then not all of them
 */
export function findChanged(
  sql: Connection,
  searched: MemberSearch,
  { snapshot }: Matches,
  most: number,
): Promise<ChangedMember[]> {
  return sql<ChangedMember[]>`
    SELECT member_id AS id, ${matches(searched)} AS there,
      pg_current_snapshot()::text AS snapshot, ${serverProcess} AS server
    FROM member WHERE ${changedSince(searched.businessId, snapshot)}
    ORDER BY changed_in LIMIT ${most + 1}`;
}

/** Runs a search, planned for what it searches for: a plan for any text reads too much for a rare one. */
function plannedForSearch<Value>(sql: Database, run: (tx: Connection) => Promise<Value>): Promise<Value> {
  return sql.begin((tx) => plannedFor(tx, () => run(tx)), "READ ONLY");
}

/** Finds all matches. */
export async function findAll(sql: Database, searched: MemberSearch, sample: SearchSample): Promise<Matches> {
  const digit = (value: string) => `chr(${firstDigit} + (${value})::integer)`;
  const place = `member_id % ${idsInBlock}`;
  const id = raw(`${digit(`${place} / ${digitValues}`)} || ${digit(`${place} % ${digitValues}`)}`);
  const rows = await plannedForSearch(
    sql,
    (tx) => tx<{ block: number | null; text: string }[]>`
      WITH found AS MATERIALIZED (${allMatches(searched, sample)})
      SELECT NULL::bigint AS block, pg_current_snapshot()::text AS text
      UNION ALL
      SELECT member_id / ${raw(String(idsInBlock))}, string_agg(${id}, '') FROM found GROUP BY 1`,
  );
  const blocks: [block: number, ids: string][] = [];
  let snapshot = "";
  for (const { block, text } of rows) {
    if (block === null) snapshot = text;
    else blocks.push([block, text]);
  }
  return { matches: new IdsByBlock(blocks), snapshot };
}

/** Finds all matches, and reads those of a page; both in one snapshot. */
export async function findAndRead(
  sql: Database,
  searched: MemberSearch,
  sample: SearchSample,
  page: PageRequest,
): Promise<Page<ListedMember>> {
  const rows = await plannedForSearch(
    sql,
    (tx) => tx<(ListedMember & { total: number })[]>`
      WITH found AS MATERIALIZED (${allMatches(searched, sample)}), listed AS (
        SELECT m.*
        FROM (
          SELECT member_id AS id FROM found ORDER BY member_id DESC
          LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
        ) AS wanted
        CROSS JOIN LATERAL (
          SELECT ${listedColumns} FROM member
          WHERE business_id = ${searched.businessId} AND member_id = wanted.id OFFSET 0
        ) AS m
      )
      SELECT listed.*, counted.total FROM (SELECT count(*) AS total FROM found) AS counted
      LEFT JOIN listed ON true
      ORDER BY member_id DESC`,
  );
  return pageOf<ListedMember>(rows, "member_id");
}
