/** The statements of searches for members (member-searches.ts). */
import { digitValues, firstDigit, IdsByBlock, idsInBlock } from "../domain/ids-by-block.ts";
import type { ListedMember, MemberSearch } from "../domain/member-search.ts";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import type { SearchSample } from "../domain/search-parts.ts";
import { plainArray } from "./array-text.ts";
import type { Connection } from "./connection.ts";
import { allMatches, matches } from "./member-matches.ts";
import { PageColumns, type SelectedColumns, type SelectedPage } from "./page.ts";
import { FixedStatement, Parameters } from "./parameters.ts";

/** What a search found. */
export interface Matches {
  readonly matches: IdsByBlock;
  /** In which it was found, as PostgreSQL writes it (pg_snapshot). */
  readonly snapshot: string;
}

/** What tells a server process from all others, those of other servers included. */
const serverProcess = "(SELECT pid || ' ' || backend_start FROM pg_stat_get_activity(pg_backend_pid()))";

const whoAnswersStatement = new FixedStatement<never>(`SELECT ${serverProcess} AS server`);

/** The server process that answers. */
export async function whoAnswers(sql: Connection): Promise<string> {
  const [row] = await whoAnswersStatement.send<{ server: string }>(sql, {});
  return row?.server ?? "";
}

/**
 * The condition on members that have been changed, and a snapshot doesn't see it. No member is ever deleted. Who has been
 * restored from a dump may bear a transaction that is yet to come: that is none that changed it.
 */
function changedSince(parameters: Parameters, businessId: number, snapshot: string): string {
  const before = parameters.add(snapshot, "pg_snapshot");
  return `
    business_id = ${parameters.add(businessId, "bigint")} AND changed_in >= pg_snapshot_xmin(${before})
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

/** Of a member in a list. */
export const listedColumns = new PageColumns<ListedMember>([
  "member_id",
  "contact_id",
  "first_name",
  "last_name",
  "phone_number",
]);

/**
 * Reads a page of what was found. The order of the changes and OFFSET 0 have the one index used that serves each step:
 * of a business that has come since the tables were last analysed, the planner expects no members at all.
 */
export async function readPage(
  sql: Connection,
  businessId: number,
  found: Matches,
  page: PageRequest,
): Promise<PageRead> {
  const parameters = new Parameters();
  const wanted = parameters.add(plainArray(found.matches.highest(offsetOf(page), page.perPage)), "bigint[]");
  const [read] = await parameters.run<
    Omit<PageRead, "rows"> & { readonly unchanged: boolean; readonly columns: SelectedColumns }
  >(
    sql,
    `SELECT ${serverProcess} AS server, pg_current_snapshot()::text AS snapshot, (
        SELECT changed_in FROM member WHERE ${changedSince(parameters, businessId, found.snapshot)}
        ORDER BY changed_in LIMIT 1
      ) IS NULL AS unchanged, (
        SELECT ${listedColumns.aggregate}
        FROM (
          SELECT m.* FROM unnest(${wanted}) AS wanted (id) CROSS JOIN LATERAL (
            SELECT ${listedColumns.list} FROM member
            WHERE business_id = ${parameters.add(businessId, "bigint")} AND member_id = wanted.id OFFSET 0
          ) AS m
          ORDER BY m.member_id DESC
        ) AS page
      ) AS columns`,
  );
  const { server = "", snapshot: now = "", unchanged = false, columns = [] } = read ?? {};
  return { server, snapshot: now, rows: unchanged ? listedColumns.rows(columns) : undefined };
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
 * @returns none when there is none; more than `most` when there are too many, and then not all of them
 */
export function findChanged(
  sql: Connection,
  searched: MemberSearch,
  { snapshot }: Matches,
  most: number,
): Promise<ChangedMember[]> {
  const parameters = new Parameters();
  return parameters.run<ChangedMember>(
    sql,
    `SELECT member_id AS id, ${matches(parameters, searched)} AS there,
      pg_current_snapshot()::text AS snapshot, ${serverProcess} AS server
    FROM member WHERE ${changedSince(parameters, searched.businessId, snapshot)}
    ORDER BY changed_in LIMIT ${parameters.add(most + 1, "bigint")}`,
  );
}

/** Finds all matches. */
export async function findAll(
  sql: Connection,
  searched: MemberSearch,
  sample: SearchSample,
): Promise<Matches> {
  const parameters = new Parameters();
  const digit = (value: string) => `chr(${firstDigit} + (${value})::integer)`;
  const place = `member_id % ${idsInBlock}`;
  const rows = await parameters.run<{ block: number | null; text: string }>(
    sql,
    `WITH found AS MATERIALIZED (${allMatches(parameters, searched, sample)})
    SELECT NULL::bigint AS block, pg_current_snapshot()::text AS text
    UNION ALL
    SELECT member_id / ${idsInBlock},
      string_agg(${digit(`${place} / ${digitValues}`)} || ${digit(`${place} % ${digitValues}`)}, '')
    FROM found GROUP BY 1`,
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
  sql: Connection,
  searched: MemberSearch,
  sample: SearchSample,
  page: PageRequest,
): Promise<Page<ListedMember>> {
  const parameters = new Parameters();
  const statement = listedColumns.select(`
    WITH found AS MATERIALIZED (${allMatches(parameters, searched, sample)}), listed AS (
      SELECT m.*
      FROM (
        SELECT member_id FROM found ORDER BY member_id DESC
        LIMIT ${parameters.add(page.perPage, "bigint")} OFFSET ${parameters.add(offsetOf(page), "bigint")}
      ) AS wanted
      JOIN member m ON m.business_id = ${parameters.add(searched.businessId, "bigint")} AND m.member_id = wanted.member_id
    )
    SELECT ${listedColumns.list}, counted.total FROM (SELECT count(*) AS total FROM found) AS counted
    LEFT JOIN listed ON true
    ORDER BY member_id DESC`);
  return listedColumns.page(await parameters.run<SelectedPage>(sql, statement));
}
