import type { ListedMember } from "../domain/member-search.ts";
import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import { memberIdsInBlock } from "./member-blocks.ts";
import { listedColumns } from "./member-search-reads.ts";
import type { MemberSearches, SearchedPools } from "./member-searches.ts";
import { FirstPageStatement, type SelectedPage } from "./page.ts";
import { FixedStatement } from "./parameters.ts";

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
  const { first, later } = include_inactive ? ofAll : ofActive;
  if (page.page === 1) return first.read(lookUps, page.perPage, { business_id: businessId });
  // Later pages take longer than others may wait.
  const place = { business_id: businessId, limit: page.perPage, offset: offsetOf(page) };
  return listedColumns.page(await later.send<SelectedPage>(sql, place));
}

const [ofActive, ofAll] = [listing("active", "AND active"), listing("members", "")];

/**
 * The blocks give the total and the block in which the page begins; only from there members are read, and not past the
 * last block that has any: below it may be no end of inactive ones.
 * @param items the column of a block that counts those that are listed
 * @param which a condition on them
 */
function listing(items: "active" | "members", which: string) {
  const total = `(
    SELECT coalesce(sum(${items}), 0)::bigint FROM member_block WHERE business_id = :business_id
  ) AS total`;
  const lowest = `(
    SELECT block * ${memberIdsInBlock} FROM member_block
    WHERE business_id = :business_id AND ${items} > 0 ORDER BY block LIMIT 1
  )`;
  // Without rows there is no total either: it is 0.
  const first = new FirstPageStatement<ListedMember, "business_id">(
    listedColumns,
    (limit) => `
      SELECT ${listedColumns.list}, ${total}
      FROM member
      WHERE business_id = :business_id ${which} AND member_id >= ${lowest}
        AND member_id < (
          SELECT (block + 1) * ${memberIdsInBlock} FROM member_block
          WHERE business_id = :business_id AND ${items} > 0 ORDER BY block DESC LIMIT 1
        )
      ORDER BY member_id DESC ${limit}`,
  );
  const later = new FixedStatement<"business_id" | "limit" | "offset">(
    listedColumns.select(`
    WITH first AS MATERIALIZED (
      SELECT block, :offset - (up_to - items) AS skip
      FROM (
        SELECT block, ${items} AS items, sum(${items}) OVER (ORDER BY block DESC) AS up_to
        FROM member_block WHERE business_id = :business_id
      ) AS added
      WHERE up_to > :offset ORDER BY block DESC LIMIT 1
    ), listed AS (
      SELECT ${listedColumns.list}
      FROM member
      WHERE business_id = :business_id AND member_id < ((SELECT block FROM first) + 1) * ${memberIdsInBlock}
        ${which} AND member_id >= ${lowest}
      ORDER BY member_id DESC LIMIT :limit OFFSET (SELECT skip FROM first)
    )
    SELECT listed.*, counted.total
    FROM (SELECT ${total}) AS counted
    LEFT JOIN listed ON true
    ORDER BY member_id DESC`),
  );
  return { first, later };
}
