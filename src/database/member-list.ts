import type { ListedMember } from "../domain/member-search.ts";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import type { Connection } from "./connection.ts";
import { memberIdsInBlock } from "./member-blocks.ts";
import type { MemberSearches, SearchedPools } from "./member-searches.ts";
import { limitTo, pageOf } from "./page.ts";

export interface MemberFilter {
  readonly search?: string | undefined;
  readonly include_inactive?: boolean | undefined;
}

/** Where members are read, and what is known of searches. */
export interface MemberSource extends SearchedPools {
  readonly memberSearches: Pick<MemberSearches, "list">;
}

/** A page of members, newest first, with the total; both from one snapshot. */
export async function listMembers(
  { sql, lookUps, memberSearches }: MemberSource,
  businessId: number,
  { search, include_inactive = false }: MemberFilter,
  page: PageRequest,
): Promise<Page<ListedMember>> {
  if (search !== undefined) {
    const searched = { businessId, search, includeInactive: include_inactive };
    return memberSearches.list({ sql, lookUps }, searched, page);
  }
  // Later pages take longer than others may wait.
  return pageOf(
    await listAll(page.page === 1 ? lookUps : sql, businessId, include_inactive, page),
    "member_id",
  );
}

/**
 * The blocks give the total and the block in which the page begins; only from there members are read, and not past the
 * last block that has any: below it may be no end of inactive ones.
 */
function listAll(
  sql: Connection,
  businessId: number,
  includeInactive: boolean,
  page: PageRequest,
): Promise<(ListedMember & { readonly total: number })[]> {
  const items = includeInactive ? sql`members` : sql`active`;
  const total = sql`(
    SELECT coalesce(sum(${items}), 0)::bigint FROM member_block WHERE business_id = ${businessId}
  ) AS total`;
  const listed = sql`${includeInactive ? sql`` : sql`AND active`} AND member_id >= (
    SELECT block * ${memberIdsInBlock} FROM member_block
    WHERE business_id = ${businessId} AND ${items} > 0 ORDER BY block LIMIT 1
  )`;
  if (page.page === 1) {
    // Without rows there is no total either: it is 0.
    return sql`
      SELECT member_id, contact_id, first_name, last_name, phone_number, ${total}
      FROM member
      WHERE business_id = ${businessId} ${listed}
        AND member_id < (
          SELECT (block + 1) * ${memberIdsInBlock} FROM member_block
          WHERE business_id = ${businessId} AND ${items} > 0 ORDER BY block DESC LIMIT 1
        )
      ORDER BY member_id DESC ${limitTo(sql, page)}`;
  }
  return sql`
    WITH first AS MATERIALIZED (
      SELECT block, ${offsetOf(page)} - (up_to - items) AS skip
      FROM (
        SELECT block, ${items} AS items, sum(${items}) OVER (ORDER BY block DESC) AS up_to
        FROM member_block WHERE business_id = ${businessId}
      ) AS added
      WHERE up_to > ${offsetOf(page)} ORDER BY block DESC LIMIT 1
    ), listed AS (
      SELECT member_id, contact_id, first_name, last_name, phone_number
      FROM member
      WHERE business_id = ${businessId} AND member_id < ((SELECT block FROM first) + 1) * ${memberIdsInBlock} ${listed}
      ORDER BY member_id DESC LIMIT ${page.perPage} OFFSET (SELECT skip FROM first)
    )
    SELECT listed.*, counted.total
    FROM (SELECT ${total}) AS counted
    LEFT JOIN listed ON true
    ORDER BY member_id DESC`;
}
