/**
 * The list of members. `member_block` stores how many members, and how many active ones, each block of 1,024 member_ids has.
 * Without a search, these numbers lead to the page and its total. A search finds and counts all matches.
 */
import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import { type Wording, wordingsOf } from "../../domain/text.ts";
import { type Connection, type Share, withCustomPlans } from "../connection.ts";
import { addNewMembers } from "../ledger/day-totals.ts";
import { type ListSource, pageOf, requiredRow } from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";

export interface ListedMember {
  readonly member_id: number;
  readonly contact_id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
}

const columns = raw("member_id, contact_id, first_name, last_name, phone_number");

export interface MemberFilter {
  readonly search?: string | undefined;
  readonly include_inactive?: boolean | undefined;
  /** Reads a phone number in a search, or the beginning of one, in E.164 format. */
  readonly readPhone?: ((text: string) => string | undefined) | undefined;
}

/** A page of members, newest first, with the total. @throws OverloadedError when too many searches of the business wait */
export async function listMembers(
  { sql, lookUps, scans }: ListSource,
  businessId: number,
  { search, include_inactive = false, readPhone }: MemberFilter,
  page: PageRequest,
): Promise<Page<ListedMember>> {
  if (search !== undefined) {
    const searched = { wordings: wordingsOf(search, readPhone), includeInactive: include_inactive };
    return scans.run(businessId, () => searchMembers(sql, businessId, searched, page));
  }
  // Later pages take too long for the shared connections.
  return pageByBlocks(page.page === 1 ? lookUps : sql, businessId, include_inactive, page);
}

/**
 * Finds the block in which the page begins, and reads members from there on. The blocks also give the total, and the first block
 * with listed members, at which reading ends. So inactive members outside of these blocks are not read.
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
      SELECT ${columns}
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

/**
 * A page of the members that a search finds, newest first, with the total; both from one snapshot. Among a million members, it
 * takes 0.5 s if most of them match, and otherwise some milliseconds.
 */
async function searchMembers(
  sql: Share,
  businessId: number,
  { wordings, includeInactive }: { readonly wordings: readonly Wording[]; readonly includeInactive: boolean },
  page: PageRequest,
): Promise<Page<ListedMember>> {
  const found = wordings.map(contains).reduce((one, other) => fragment`${one} OR ${other}`);
  const run = (tx: Connection) =>
    tx<(ListedMember & { total: number })[]>`
      WITH found AS MATERIALIZED (
        SELECT member_id FROM member
        WHERE business_id = ${businessId} AND (${found}) ${raw(includeInactive ? "" : "AND active")}
      ), listed AS (
        SELECT m.*
        FROM (
          SELECT member_id AS id FROM found ORDER BY member_id DESC LIMIT ${page.perPage} OFFSET ${offsetOf(page)}
        ) AS wanted
        CROSS JOIN LATERAL (
          SELECT ${columns} FROM member WHERE business_id = ${businessId} AND member_id = wanted.id OFFSET 0
        ) AS m
      )
      SELECT listed.*, counted.total FROM (SELECT count(*) AS total FROM found) AS counted
      LEFT JOIN listed ON true
      ORDER BY member_id DESC`;
  const rows = await sql.begin((tx) => withCustomPlans(tx, () => run(tx)), "READ ONLY");
  return pageOf<ListedMember>(rows, "member_id");
}

/**
 * The condition that a member's text contains all words. Whole words are compared in another collation than that of the index, so
 * that the index is used for their indexed parts only. They are one array, so that their number does not change the statement.
 */
function contains({ words, zeros, indexed }: Wording): Fragment {
  const whole = fragment`searchable_text COLLATE "C" LIKE ALL (${words.map(pattern)}::text[])
    AND searchable_text COLLATE "C" ~ ALL (${zeros.map(separately)}::text[])`;
  return indexed.reduce(
    (all, part) => fragment`searchable_text LIKE ${pattern(part)}::text AND ${all}`,
    whole,
  );
}

/** The LIKE pattern of texts that contain a word. */
function pattern(word: string): string {
  return `%${word.replace(/[\\%_]/g, "\\$&")}%`;
}

/** The most digits of a search that can match the end of a phone number, because people search for the last digits. */
const lastDigits = 6;

/** The regular expression of texts in which a number begins with these digits. A few digits also match the end of a phone number. */
function separately(digits: string): string {
  const beginning = `(^|[^0-9])${digits}`;
  return digits.length <= lastDigits ? `${beginning}|${digits}\n` : beginning;
}

/** How many member_ids a block spans. */
export const memberIdsInBlock = 1024;

/**
 * Updates the counts for new or changed members. It should be the last statement of its transaction, because transactions that
 * change members of the same block wait for its end.
 * @param memberIds a statement that selects their member_ids
 * @param each the change of the counts for each of them
 */
export function countMembers(
  tx: Connection,
  businessId: number,
  memberIds: Fragment,
  each: { readonly members: 0 | 1; readonly active: -1 | 1 },
) {
  // The blocks are in ascending order, so that two transactions can't deadlock.
  return tx`
    INSERT INTO member_block AS known (business_id, block, members, active)
    SELECT l.business_id, changed.block, ${each.members} * changed.members, ${each.active} * changed.members
    FROM ledger l, (
      SELECT member_id / ${memberIdsInBlock} AS block, count(*)::integer AS members
      FROM (${memberIds}) AS changed (member_id) GROUP BY 1 ORDER BY 1
    ) AS changed
    WHERE l.business_id = ${businessId}
    ON CONFLICT (business_id, block) DO UPDATE SET members = known.members + excluded.members,
      active = known.active + excluded.active`;
}

/** Counts new members, for lists and for reports. Like `countMembers`, it should be the last of its transaction. */
export async function countNewMembers(
  tx: Connection,
  businessId: number,
  memberIds: Fragment,
): Promise<void> {
  await Promise.all([
    countMembers(tx, businessId, memberIds, { members: 1, active: 1 }),
    addNewMembers(tx, businessId, memberIds),
  ]);
}

/** How many members a business has, active or not. */
export async function sumMembers(sql: Connection, businessId: number): Promise<number> {
  const { members } = await requiredRow(sql<{ members: number }[]>`
    SELECT coalesce(sum(members), 0)::bigint AS members FROM member_block WHERE business_id = ${businessId}`);
  return members;
}
