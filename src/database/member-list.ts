import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import { fold } from "../domain/text.ts";
import type { Connection } from "./connection.ts";

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

/** A page of members, newest first, with the total; both from one snapshot. */
export async function listMembers(
  sql: Connection,
  businessId: number,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<MemberListRow>> {
  const matching = sql`
    FROM member WHERE business_id = ${businessId}
      ${filter.include_inactive === true ? sql`` : sql`AND active`}
      ${filter.search === undefined ? sql`` : sql`AND search_text LIKE ${containing(filter.search)}`}`;
  const rows = await sql<(MemberListRow & { total: number })[]>`
    WITH matching AS MATERIALIZED (SELECT count(*) AS total ${matching}),
    listed AS (
      SELECT member_id, contact_id, first_name, last_name, phone_number ${matching}
      ORDER BY member_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
    )
    SELECT listed.*, matching.total FROM matching LEFT JOIN listed ON true ORDER BY member_id DESC`;
  const total = rows[0]?.total ?? 0;
  const present = rows.filter((row) => row.member_id !== null);
  return { total, rows: present.map(({ total: _, ...row }) => row) };
}

/** The LIKE pattern of texts that contain a search, folded as search_text is. */
function containing(search: string): string {
  return `%${fold(search).replace(/[\\%_]/g, "\\$&")}%`;
}
