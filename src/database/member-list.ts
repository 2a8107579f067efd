import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import { fold } from "../domain/text.ts";
import type { Connection } from "./connection.ts";
import { memberIdsInBlock } from "./member-blocks.ts";
import { pageOf } from "./page.ts";

export interface MemberFilter {
  readonly search?: string | undefined;
  readonly include_inactive?: boolean | undefined;
}

export interface MemberListRow {
  readonly member_id: number;
  readonly contact_id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
}

/** A page of members, newest first, with the total; both from one snapshot, that of the one statement. */
export async function listMembers(
  sql: Connection,
  businessId: number,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<MemberListRow>> {
  const rows =
    filter.search === undefined
      ? await listAll(sql, businessId, filter, page)
      : await listFound(sql, businessId, filter, filter.search, page);
  return pageOf(rows, "member_id");
}

type CountedRow = MemberListRow & { readonly total: number };

/** The blocks give the total and the block in which the page begins; only from there members are read. */
function listAll(
  sql: Connection,
  businessId: number,
  { include_inactive }: MemberFilter,
  page: PageRequest,
): Promise<CountedRow[]> {
  const counted = include_inactive === true ? sql`members` : sql`active_members`;
  return sql<CountedRow[]>`
    WITH block AS MATERIALIZED (
      SELECT block, ${counted} AS items, sum(${counted}) OVER (ORDER BY block DESC) AS up_to
      FROM member_block WHERE business_id = ${businessId}
    ), first AS MATERIALIZED (
      SELECT block, ${offsetOf(page)} - (up_to - items) AS skip
      FROM block WHERE up_to > ${offsetOf(page)} ORDER BY block DESC LIMIT 1
    ), listed AS (
      SELECT member_id, contact_id, first_name, last_name, phone_number
      FROM member
      WHERE business_id = ${businessId}
        AND member_id < ((SELECT block FROM first) + 1) * ${memberIdsInBlock}
        ${activeUnless(sql, include_inactive)}
      ORDER BY member_id DESC LIMIT ${page.perPage} OFFSET (SELECT skip FROM first)
    )
    SELECT listed.*, counted.total
    FROM (SELECT coalesce(sum(items), 0)::bigint AS total FROM block) AS counted
    LEFT JOIN listed ON true
    ORDER BY member_id DESC`;
}

/** Finds every match, by the trigram index, since all must be counted; then reads those of the page. */
function listFound(
  sql: Connection,
  businessId: number,
  { include_inactive }: MemberFilter,
  search: string,
  page: PageRequest,
): Promise<CountedRow[]> {
  return sql<CountedRow[]>`
    WITH found AS MATERIALIZED (
      SELECT member_id FROM member
      WHERE business_id = ${businessId} AND search_text LIKE ${containing(search)}
        ${activeUnless(sql, include_inactive)}
    ), listed AS (
      SELECT m.member_id, m.contact_id, m.first_name, m.last_name, m.phone_number
      FROM (
        SELECT member_id FROM found ORDER BY member_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
      ) AS wanted
      JOIN member m ON m.business_id = ${businessId} AND m.member_id = wanted.member_id
    )
    SELECT listed.*, counted.total FROM (SELECT count(*) AS total FROM found) AS counted
    LEFT JOIN listed ON true
    ORDER BY member_id DESC`;
}

const activeUnless = (sql: Connection, includeInactive: boolean | undefined) =>
  includeInactive === true ? sql`` : sql`AND active`;

/** The LIKE pattern of texts that contain a search, folded as search_text is. */
function containing(search: string): string {
  return `%${fold(search).replace(/[\\%_]/g, "\\$&")}%`;
}
