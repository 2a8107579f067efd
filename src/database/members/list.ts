import type { FairQueue } from "../../domain/fair-queue.ts";
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import type { Connection, Database } from "../connection.ts";
import { pageOf } from "../page.ts";
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

type CountedMember = ListedMember & { readonly total: number };

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
  const rows =
    page.page === 1
      ? await firstPage(lookUps, businessId, include_inactive, page.perPage)
      : // Later pages take too long for the shared connections.
        await laterPage(sql, businessId, include_inactive, page);
  return pageOf<ListedMember>(rows, "member_id");
}

const blockSize = raw(String(memberIdsInBlock));

/**
 * The parts of a page. The blocks give the total, and between which member_ids the listed members are: before the first
 * of them and after the last there may be any number of inactive members, which are not read.
 */
function partsOf(businessId: number, includeInactive: boolean) {
  const items = raw(includeInactive ? "members" : "active");
  return {
    items,
    which: raw(includeInactive ? "" : "AND active"),
    total: fragment`(
      SELECT coalesce(sum(${items}), 0)::bigint FROM member_block WHERE business_id = ${businessId}
    ) AS total`,
    lowest: fragment`(
      SELECT block * ${blockSize} FROM member_block
      WHERE business_id = ${businessId} AND ${items} > 0 ORDER BY block LIMIT 1
    )`,
  };
}

function firstPage(
  sql: Connection,
  businessId: number,
  includeInactive: boolean,
  perPage: number,
): Promise<CountedMember[]> {
  const { items, which, total, lowest } = partsOf(businessId, includeInactive);
  return sql<CountedMember[]>`
    SELECT ${listedColumns}, ${total}
    FROM member
    WHERE business_id = ${businessId} ${which} AND member_id >= ${lowest}
      AND member_id < (
        SELECT (block + 1) * ${blockSize} FROM member_block
        WHERE business_id = ${businessId} AND ${items} > 0 ORDER BY block DESC LIMIT 1
      )
    ORDER BY member_id DESC LIMIT ${perPage}`;
}

/** Finds the block in which the page begins, and reads members from there on. */
function laterPage(
  sql: Connection,
  businessId: number,
  includeInactive: boolean,
  page: PageRequest,
): Promise<CountedMember[]> {
  const { items, which, total, lowest } = partsOf(businessId, includeInactive);
  const offset = fragment`${offsetOf(page)}::bigint`;
  return sql<CountedMember[]>`
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
        ${which} AND member_id >= ${lowest}
      ORDER BY member_id DESC LIMIT ${page.perPage} OFFSET (SELECT skip FROM first)
    )
    SELECT listed.*, counted.total
    FROM (SELECT ${total}) AS counted
    LEFT JOIN listed ON true
    ORDER BY member_id DESC`;
}
