/**
 * The list of members that are persons. `member_block` stores how many of them, and how many active ones, each block of 1,024 member_ids has.
 * Without a search, these numbers lead to the page and its total. A search finds and counts all matches.
 */
import { offsetOf, type Page, type PageRequest, pageOf, readFor } from "../../domain/pagination.ts";
import { lettersOf, memberNumber, type Wording, wordingsOf } from "../../domain/text.ts";
import { type Connection, type Share, withCustomPlans } from "../connection.ts";
import { addNewMembers } from "../ledger/day-totals.ts";
import { behind, type ListSource, newestFirst, requiredRow, splitTotal } from "../rows.ts";
import { type Fragment, fragment, list, raw } from "../sql.ts";

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
  /** Whether to find the members whose names are most similar to the search instead of those that contain it. */
  readonly similar?: boolean | undefined;
  /** Reads a phone number in a search, or the beginning of one, in E.164 format. */
  readonly readPhone?: ((text: string) => string | undefined) | undefined;
  /** Further conditions for a member `m`. */
  readonly also?: Fragment | undefined;
}

/** A page of members, newest first, with the total. @throws OverloadedError when too many searches of the business wait */
export async function listMembers(
  { sql, lookUps, scans }: ListSource,
  businessId: number,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<ListedMember>> {
  const { search, include_inactive = false, similar = false, also } = filter;
  if (search !== undefined || also !== undefined) {
    const found = selectionOf(businessId, filter);
    return scans.run(businessId, () => searchMembers(sql, businessId, { found, similar }, page));
  }
  // Later pages take too long for the shared connections.
  return pageByBlocks(page.page === 1 ? lookUps : sql, businessId, include_inactive, page);
}

/** Selects the members that a search finds, or all persons, that meet the further conditions. */
function selectionOf(
  businessId: number,
  { search, include_inactive = false, similar = false, readPhone, also }: MemberFilter,
): Fragment {
  const among = (members: Fragment) =>
    fragment`SELECT m.member_id FROM (${members}) AS m WHERE ${also ?? raw("true")}`;
  if (search === undefined) {
    const listed = raw(include_inactive ? "anonymous IS NULL" : "anonymous IS NULL AND active");
    return among(fragment`SELECT * FROM member WHERE business_id = ${businessId} AND ${listed}`);
  }
  const matches = similar
    ? similarTo(businessId, lettersOf(search), include_inactive)
    : matching(businessId, search, include_inactive, readPhone);
  if (also === undefined) return matches;
  return among(fragment`SELECT each.* FROM (${matches}) AS matched CROSS JOIN LATERAL (
    SELECT * FROM member WHERE business_id = ${businessId} AND member_id = matched.member_id OFFSET 0
  ) AS each`);
}

/**
 * Finds the blocks of the page by the positions of its first and last row, and reads their members. So long runs of members that
 * are not listed are not read. A place is converted into a position first. The blocks also give the total.
 */
async function pageByBlocks(
  sql: Connection,
  businessId: number,
  includeInactive: boolean,
  page: PageRequest,
): Promise<Page<ListedMember>> {
  const items = raw(includeInactive ? "members" : "active");
  const listed = raw(includeInactive ? "AND anonymous IS NULL" : "AND anonymous IS NULL AND active");
  const blockSize = raw(String(memberIdsInBlock));
  const [after] = page.after ?? [];
  const inBlock = (block: Fragment) =>
    fragment`member_id >= ${block} * ${blockSize} AND member_id < (${block} + 1) * ${blockSize}`;
  const first = after
    ? fragment`(SELECT coalesce(sum(items), 0)::bigint FROM block WHERE block > ${after}::bigint / ${blockSize})
        + (SELECT count(*) FROM member WHERE business_id = ${businessId} AND member_id >= ${after}::bigint
          AND member_id < (${after}::bigint / ${blockSize} + 1) * ${blockSize} ${listed})`
    : fragment`${offsetOf(page)}::bigint`;
  const rows = await sql<(ListedMember & { readonly total: number })[]>`
    WITH block AS MATERIALIZED (
      SELECT block, ${items} AS items, (sum(${items}) OVER (ORDER BY block DESC) - ${items})::bigint AS before
      FROM member_block WHERE business_id = ${businessId}
    ), page AS MATERIALIZED (
      SELECT first, first + ${readFor(page)} AS last FROM (SELECT ${first} AS first) AS found
    ), listed AS (
      SELECT m.* FROM page JOIN block ON items > 0 AND before < page.last AND before + items > page.first
      CROSS JOIN LATERAL (
        SELECT ${columns} FROM member WHERE business_id = ${businessId} AND ${inBlock(raw("block.block"))} ${listed}
        ORDER BY member_id DESC
        OFFSET greatest(page.first - before, 0) LIMIT least(before + items, page.last) - greatest(before, page.first)
      ) AS m
    )
    SELECT listed.*, counted.total
    FROM (SELECT coalesce(sum(items), 0)::bigint AS total FROM block) AS counted
    LEFT JOIN listed ON true
    ORDER BY member_id DESC`;
  return pageOfMembers(page, rows);
}

function pageOfMembers(
  page: PageRequest,
  read: readonly (ListedMember & { readonly total: number })[],
): Page<ListedMember> {
  const { rows, total } = splitTotal<ListedMember>(read, "member_id");
  return pageOf(page, rows, total, ({ member_id }) => [String(member_id)]);
}

/**
 * A page of the members that a search finds, newest first, with the total; both from one snapshot. Among a million members, it
 * takes 0.5 s if most of them match, and otherwise some milliseconds.
 * @param found selects their member_ids, by similarity or not
 */
async function searchMembers(
  sql: Share,
  businessId: number,
  { found, similar }: { readonly found: Fragment; readonly similar: boolean },
  page: PageRequest,
): Promise<Page<ListedMember>> {
  const run = async (tx: Connection) => {
    const [, rows] = await Promise.all([
      similar && tx`SET LOCAL pg_trgm.word_similarity_threshold = ${raw(String(leastSimilarity))}`,
      tx<(ListedMember & { total: number })[]>`
        WITH found AS MATERIALIZED (${found}), listed AS (
          SELECT m.*
          FROM (
            SELECT member_id AS id FROM found WHERE true ${behind(newestFirst("member_id"), page.after)}
            ORDER BY member_id DESC LIMIT ${readFor(page)} OFFSET ${offsetOf(page)}
          ) AS wanted
          CROSS JOIN LATERAL (
            SELECT ${columns} FROM member WHERE business_id = ${businessId} AND member_id = wanted.id OFFSET 0
          ) AS m
        )
        SELECT listed.*, counted.total FROM (SELECT count(*) AS total FROM found) AS counted
        LEFT JOIN listed ON true
        ORDER BY member_id DESC`,
    ]);
    return rows;
  };
  const rows = await sql.begin((tx) => withCustomPlans(tx, () => run(tx)), "READ ONLY");
  return pageOfMembers(page, rows);
}

/** Selects the persons that contain a search or have it as their number, and those into which such members were merged. */
function matching(
  businessId: number,
  search: string,
  includeInactive: boolean,
  readPhone: MemberFilter["readPhone"],
): Fragment {
  const listed = raw(includeInactive ? "anonymous IS NULL" : "anonymous IS NULL AND active");
  const words = wordingsOf(search, readPhone).map(contains);
  const contactId = memberNumber(search);
  const all =
    contactId === undefined ? words : [...words, fragment`contact_id = ${contactId} AND erased_at IS NULL`];
  const matches = all.reduce((one, other) => fragment`${one} OR ${other}`);
  return fragment`
    WITH matching AS MATERIALIZED (
      SELECT member_id, merged_into, ${listed} AS listed FROM member
      WHERE business_id = ${businessId} AND (${matches}) AND (${listed} OR merged_into IS NOT NULL)
    )
    SELECT member_id FROM matching WHERE listed
    UNION ALL
    SELECT DISTINCT became.member_id FROM matching CROSS JOIN LATERAL (
      SELECT member_id, ${listed} AND (${matches}) IS NOT TRUE AS added FROM member
      WHERE business_id = ${businessId} AND contact_id = matching.merged_into OFFSET 0
    ) AS became
    WHERE merged_into IS NOT NULL AND added`;
}

/** The least part of a word's trigrams that a name must have. Micheal has 0.5 of Michael, and Jonh has 0.4 of John. */
const leastSimilarity = 0.4;
const mostSimilarMembers = 15;
/** Among a million members, this takes about 0.1 s. To compare all whose addresses have a similar domain took 30 s. */
const mostCompared = 5000;

/** Selects the members whose names are most similar to some words. */
function similarTo(businessId: number, words: readonly string[], includeInactive: boolean): Fragment {
  if (words.length === 0) return fragment`SELECT 0::bigint AS member_id WHERE false`;
  const similar = words.map((word) => fragment`${word}::text <% searchable_text`);
  const similarities = words.map((word) => fragment`word_similarity(${word}::text, searchable_text)`);
  return fragment`
    SELECT member_id FROM (
      SELECT member_id, searchable_text FROM member
      WHERE business_id = ${businessId} AND ${list(similar, " AND ")} ${raw(includeInactive ? "" : "AND active")}
      LIMIT ${mostCompared}
    ) AS compared
    ORDER BY ${list(similarities, " + ")} DESC, member_id DESC
    LIMIT ${mostSimilarMembers}`;
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
