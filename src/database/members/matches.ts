/**
 * The members that contain a search. All matches must be found, since all are counted. The trigram index is searched
 * only for the parts of the search that few members have: for each part it reads a list of all members that have it,
 * which is a million long for a part that all members share, such as the domain of their e-mail addresses. The rows
 * found are then compared with the whole search, in another collation than the index's, so that the index is not used
 * for it.
 */
import type { MemberSearch } from "../../domain/member-search.ts";
import { rareParts, type SearchSample } from "../../domain/search-parts.ts";
import { fold } from "../../domain/text.ts";
import { type Fragment, fragment, raw } from "../sql.ts";

/** A statement that selects the member_ids of all matches. */
export function allMatches(searched: MemberSearch, sample: SearchSample): Fragment {
  const { businessId, search } = searched;
  const parts = rareParts(fold(search), sample.texts);
  const type = raw(sample.mostOfAll ? typeBesideTrigrams(businessId) : "bigint");
  return fragment`
    SELECT member_id FROM member
    WHERE business_id = ${businessId}::${type}
      ${parts.length === 0 ? fragment`` : fragment`AND searchable_text LIKE ${containing(parts)}::text`}
      AND ${matches(searched)}`;
}

/** A condition: whether a member contains the search and is one of those that are asked for. */
export function matches({ search, includeInactive }: MemberSearch): Fragment {
  return fragment`searchable_text COLLATE "C" LIKE ${containing([fold(search)])}::text
    ${raw(includeInactive ? "" : "AND active")}`;
}

/**
 * The type of the business's id for a comparison without the trigram index, which only compares a bigint with a bigint.
 * Where most members are this business's, reading the index's list of them narrows nothing down.
 */
function typeBesideTrigrams(businessId: number): "integer" | "bigint" {
  return businessId < 2 ** 31 ? "integer" : "bigint";
}

/** The LIKE pattern of texts that contain some parts, one after the other. */
function containing(parts: readonly string[]): string {
  return `%${parts.map((part) => part.replace(/[\\%_]/g, "\\$&")).join("%")}%`;
}
