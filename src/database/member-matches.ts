/**
 * The members that contain a search. All matches must be found, since all are counted. The trigram index is asked only
 * for the parts of the search that few members have: each part costs a list of all who have it, which for what all have
 * in common, such as the domain of their e-mail addresses, is a million long. What the index finds is then compared with
 * the whole search, in another collation than the index's, so that it is not asked for that as well.
 */
import type { Fragment } from "postgres";
import type { MemberSearch } from "../domain/member-search.ts";
import { rareParts, type SearchSample } from "../domain/search-parts.ts";
import { fold } from "../domain/text.ts";
import type { Connection } from "./connection.ts";

/** Selects the member_ids of all matches. */
export function allMatches(sql: Connection, searched: MemberSearch, sample: SearchSample): Fragment {
  const { businessId, search } = searched;
  const parts = rareParts(fold(search), sample.texts);
  return sql`
    SELECT member_id FROM member
    WHERE business_id = ${sample.mostOfAll ? besideTrigrams(sql, businessId) : sql`${businessId}`}
      ${parts.length === 0 ? sql`` : sql`AND searchable_text LIKE ${containing(parts)}`}
      AND ${matches(sql, searched)}`;
}

/** Whether a member, active or not, contains the search and is one of those that are asked for. */
export function matches(sql: Connection, { search, includeInactive }: MemberSearch): Fragment {
  return sql`searchable_text COLLATE "C" LIKE ${containing([fold(search)])} ${includeInactive ? sql`` : sql`AND active`}`;
}

/**
 * The business's id for a comparison that the trigram index takes no part in, as it knows how to compare a bigint with
 * a bigint only: where most members are this business's, reading the list of them all narrows nothing down.
 */
function besideTrigrams(sql: Connection, businessId: number): Fragment {
  return businessId < 2 ** 31 ? sql`${businessId}::integer` : sql`${businessId}`;
}

/** The LIKE pattern of texts that contain some parts, one after the other. */
function containing(parts: readonly string[]): string {
  return `%${parts.map((part) => part.replace(/[\\%_]/g, "\\$&")).join("%")}%`;
}
