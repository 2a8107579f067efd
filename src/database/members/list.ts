import type { FairQueue } from "../../domain/fair-queue.ts";
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection, Database } from "../connection.ts";
import { pageOf } from "../rows.ts";
import { fragment, raw } from "../sql.ts";
import { memberIdsInBlock } from "./blocks.ts";
import { type ListedMember, listedColumns, searchMembers } from "./search.ts";

export interface MemberFilter {
  readonly search?: string | undefined;
  readonly include_inactive?: boolean | undefined;
}

/** Members are listed over one pool, and searched over another. */
export interface MemberSource {
  readonly sql: Database;
  readonly lookUps: Connection;
  readonly searches: FairQueue;
}

/**
 * A page of members, newest first, with the total; both from one snapshot.
 * @throws OverloadedError when too many searches of the business wait
 */
export async function listMembers(
  { sql, lookUps, searches }: MemberSource,
  businessId: number,
  { search, include_inactive = false }: MemberFilter,
  page: PageRequest,
): Promise<Page<ListedMember>> {
  if (search !== undefined) {
    const searched = { search, includeInactive: include_inactive };
    return searches.run(businessId, () => searchMembers(sql, businessId, searched, page));
  }
  // Later pages take too long for the shared connections.
  return pageByBlocks(page.page === 1 ? lookUps : sql, businessId, include_inactive, page);
}

/**
 * Finds the block in which the page begins, and reads members from there on. The blocks give the total, and between which
 * member_ids the listed members are: before the first of them and after the last there may be any number of inactive
 * members, which are not read.
 */
async function pageByBlocks(
  sql: Connection,
  businessId: number,
  includeInactive: boolean,
  page: PageRequest,
): Promise<Page<ListedMember>> {
  const items = raw(includeInactive ? "members" : "active");
  const blockSize = raw(String(memberIdsInBlock));
  const offset = fragment`${offsetOf(page)}::bigint`;
  const rows = await sql<(ListedMember & { readonly total: number })[]>`
    WITH first AS MATERIALIZED (
      SELECT block, ${offset} - (up_to - items) AS skip
      FROM (
        SELECT block, ${items} AS items, sum(${items}) OVER (ORDER BY block DESC) AS up_to
        FROM member_block WHERE business_id = ${businessId}
      ) AS added
      WHERE up_to > ${offset} ORDER BY block DESC LIMIT 1
    ), listed AS (
      SELECT ${listedColumns}
      FROM member
      WHERE business_id = ${businessId} AND member_id < ((SELECT block FROM first) + 1) * ${blockSize}
        ${raw(includeInactive ? "" : "AND active")} AND member_id >= (
          SELECT block * ${blockSize} FROM member_block
          WHERE business_id = ${businessId} AND ${items} > 0 ORDER BY block LIMIT 1
        )
      ORDER BY member_id DESC LIMIT ${page.perPage} OFFSET (SELECT skip FROM first)
    )
    SELECT listed.*, counted.total
    FROM (
      SELECT coalesce(sum(${items}), 0)::bigint AS total FROM member_block WHERE business_id = ${businessId}
    ) AS counted
    LEFT JOIN listed ON true
    ORDER BY member_id DESC`;
  return pageOf<ListedMember>(rows, "member_id");
}
