import { offsetOf, type Page, type PageRequest } from "../domain/pagination.ts";
import { rareParts } from "../domain/search-parts.ts";
import { fold } from "../domain/text.ts";
import type { Connection } from "./connection.ts";
import { memberIdsInBlock } from "./member-blocks.ts";
import { limitTo, pageOf } from "./page.ts";
import type { SearchSamples } from "./search-samples.ts";

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

/** Where members are read, and what is known of the texts that are searched. */
export interface MemberSource {
  readonly sql: Connection;
  readonly searchSamples: Pick<SearchSamples, "of">;
}

/** A page of members, newest first, with the total; both from one snapshot, that of the one statement. */
export async function listMembers(
  { sql, searchSamples }: MemberSource,
  businessId: number,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<MemberListRow>> {
  const rows =
    filter.search === undefined
      ? await listAll(sql, businessId, filter, page)
      : await listFound({ sql, searchSamples }, businessId, filter, filter.search, page);
  return pageOf(rows, "member_id");
}

type CountedRow = MemberListRow & { readonly total: number };

/**
 * The blocks give the total and the block in which the page begins; only from there members are read, and not past the
 * last block that has any: below it may be no end of inactive ones.
 */
function listAll(
  sql: Connection,
  businessId: number,
  { include_inactive }: MemberFilter,
  page: PageRequest,
): Promise<CountedRow[]> {
  const items = include_inactive === true ? sql`members` : sql`active_members`;
  const total = sql`(
    SELECT coalesce(sum(${items}), 0)::bigint FROM member_block WHERE business_id = ${businessId}
  ) AS total`;
  const listed = sql`${activeUnless(sql, include_inactive)} AND member_id >= (
    SELECT block * ${memberIdsInBlock} FROM member_block
    WHERE business_id = ${businessId} AND ${items} > 0 ORDER BY block LIMIT 1
  )`;
  if (page.page === 1) {
    // Without rows there is no total either: it is 0.
    return sql<CountedRow[]>`
      SELECT member_id, contact_id, first_name, last_name, phone_number, ${total}
      FROM member
      WHERE business_id = ${businessId} ${listed}
        AND member_id < (
          SELECT (block + 1) * ${memberIdsInBlock} FROM member_block
          WHERE business_id = ${businessId} AND ${items} > 0 ORDER BY block DESC LIMIT 1
        )
      ORDER BY member_id DESC ${limitTo(sql, page)}`;
  }
  return sql<CountedRow[]>`
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

/**
 * Finds every match, since all must be counted; then reads those of the page. The trigram index is asked only for the
 * parts of the search that few members have: each part costs a list of all who have it, which for what all have in
 * common, such as the domain of their e-mail addresses, is a million long. What the index finds is then compared
 * with the whole search, in another collation than the index's, so that it is not asked for that as well.
 */
async function listFound(
  { sql, searchSamples }: MemberSource,
  businessId: number,
  { include_inactive }: MemberFilter,
  search: string,
  page: PageRequest,
): Promise<CountedRow[]> {
  const folded = fold(search);
  const { texts, mostOfAll } = await searchSamples.of(sql, businessId);
  const parts = rareParts(folded, texts);
  return sql<CountedRow[]>`
    WITH found AS MATERIALIZED (
      SELECT member_id FROM member
      WHERE business_id = ${mostOfAll ? besideTrigrams(sql, businessId) : sql`${businessId}`}
        AND search_text COLLATE "C" LIKE ${containing([folded])}
        ${parts.length === 0 ? sql`` : sql`AND search_text LIKE ${containing(parts)}`}
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

/**
 * The business's id for a comparison that the trigram index takes no part in, as it knows how to compare a bigint with
 * a bigint only: where most members are this business's, reading the list of them all narrows nothing down.
 */
function besideTrigrams(sql: Connection, businessId: number) {
  return businessId < 2 ** 31 ? sql`${businessId}::integer` : sql`${businessId}`;
}

const activeUnless = (sql: Connection, includeInactive: boolean | undefined) =>
  includeInactive === true ? sql`` : sql`AND active`;

/** The LIKE pattern of texts that contain some parts, one after the other. */
function containing(parts: readonly string[]): string {
  return `%${parts.map((part) => part.replace(/[\\%_]/g, "\\$&")).join("%")}%`;
}
