/** The statement of a search for members. */

import { offsetOf, type Page, type PageRequest } from "../../domain/pagination.ts";
import { type Wording, wordingsOf } from "../../domain/text.ts";
import type { Connection, Database } from "../connection.ts";
import { plannedFor } from "../plans.ts";
import { pageOf } from "../rows.ts";
import { type Fragment, fragment, raw } from "../sql.ts";
import type { MemberRow } from "./members.ts";

export type ListedMember = Omit<MemberRow, "email" | "active">;

export const listedColumns = raw("member_id, contact_id, first_name, last_name, phone_number");

/**
 * A page of the members that a search finds, newest first, with the total; both from one snapshot. All matches are found
 * each time: among a million members 0.5 s if most of them match, else some milliseconds.
 */
export async function searchMembers(
  sql: Database,
  businessId: number,
  { search, includeInactive }: { readonly search: string; readonly includeInactive: boolean },
  page: PageRequest,
): Promise<Page<ListedMember>> {
  const found = wordingsOf(search)
    .map(contains)
    .reduce((one, other) => fragment`${one} OR ${other}`);
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
          SELECT ${listedColumns} FROM member WHERE business_id = ${businessId} AND member_id = wanted.id OFFSET 0
        ) AS m
      )
      SELECT listed.*, counted.total FROM (SELECT count(*) AS total FROM found) AS counted
      LEFT JOIN listed ON true
      ORDER BY member_id DESC`;
  const rows = await sql.begin((tx) => plannedFor(tx, () => run(tx)), "READ ONLY");
  return pageOf<ListedMember>(rows, "member_id");
}

/**
 * The condition that a member's text contains all words. The index is searched for their rare parts only; the whole words
 * are compared in another collation than the index's, so that the index is not used for them. The words are one array:
 * each number of words would be a statement of its own.
 */
function contains({ words, indexed }: Wording): Fragment {
  const whole = fragment`searchable_text COLLATE "C" LIKE ALL (${words.map(pattern)}::text[])`;
  return indexed.reduce(
    (all, part) => fragment`searchable_text LIKE ${pattern(part)}::text AND ${all}`,
    whole,
  );
}

/** The LIKE pattern of texts that contain a word. */
function pattern(word: string): string {
  return `%${word.replace(/[\\%_]/g, "\\$&")}%`;
}
