/**
 * The members that contain a search. All matches must be found, since all are counted. The trigram index is asked only
 * for the parts of the search that few members have: each part costs a list of all who have it, which for what all have
 * in common, such as the domain of their e-mail addresses, is a million long. What the index finds is then compared with
 * the whole search, in another collation than the index's, so that it is not asked for that as well.
 */
import type { MemberSearch } from "../domain/member-search.ts";
import { rareParts, type SearchSample } from "../domain/search-parts.ts";
import { fold } from "../domain/text.ts";
import type { Parameters } from "./parameters.ts";

/** A statement that selects the member_ids of all matches. */
export function allMatches(parameters: Parameters, searched: MemberSearch, sample: SearchSample): string {
  const { businessId, search } = searched;
  const parts = rareParts(fold(search), sample.texts);
  const type = sample.mostOfAll ? typeBesideTrigrams(businessId) : "bigint";
  return `
    SELECT member_id FROM member
    WHERE business_id = ${parameters.add(businessId, type)}
      ${parts.length === 0 ? "" : `AND searchable_text LIKE ${parameters.add(containing(parts), "text")}`}
      AND ${matches(parameters, searched)}`;
}

/** A condition: whether a member, active or not, contains the search and is one of those that are asked for. */
export function matches(parameters: Parameters, { search, includeInactive }: MemberSearch): string {
  const pattern = parameters.add(containing([fold(search)]), "text");
  return `searchable_text COLLATE "C" LIKE ${pattern} ${includeInactive ? "" : "AND active"}`;
}

/**
 * The type of the business's id for a comparison that the trigram index takes no part in, as it knows how to compare a
 * bigint with a bigint only: where most members are this business's, reading the list of them all narrows nothing down.
 */
function typeBesideTrigrams(businessId: number): string {
  return businessId < 2 ** 31 ? "integer" : "bigint";
}

/** The LIKE pattern of texts that contain some parts, one after the other. */
function containing(parts: readonly string[]): string {
  return `%${parts.map((part) => part.replace(/[\\%_]/g, "\\$&")).join("%")}%`;
}
