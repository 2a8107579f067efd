import { fieldError, fields, listOperation, Rejection, Type } from "../../../contract/declare.ts";
import { listMemberStandings } from "../../../database/members/records.ts";
import { memberFilters } from "../../members/member-filters.ts";
import { checkSearch, listedMember, withPhones } from "../../members/members.ts";

export const listMembersForOperator = listOperation({
  path: "/op/members/list",
  role: "viewer",
  summary: "List members",
  message: "Members listed.",
  description:
    "Lists the members of a business with their balances and tier, newest first: all of them, or those that a search " +
    "finds and that meet all filters. total says how many they are. If a search finds none, search again with `similar`, which finds misspelt names.",
  columns: [
    "contact_id",
    "first_name",
    "last_name",
    "phone_number",
    "tier_name",
    "wallet_balance",
    "points_balance",
  ],
  input: {
    business_id: fields.businessId,
    search: Type.Optional(fields.search),
    include_inactive: fields.option("Whether to include inactive members."),
    similar: fields.option(
      "Whether to list the 15 members whose names are most similar to the search, instead of those that contain it.",
    ),
    ...memberFilters.fields,
  },
  output: listedMember,
  check: ({ search, similar, ...filters }) => [
    ...(similar && search === undefined
      ? [fieldError("search", "required", "is required with similar")]
      : checkSearch(search)),
    ...memberFilters.check(filters),
  ],
  errors: memberFilters.errors,
  async list({ sql, services: { lookUps, scans }, caller, input, page }) {
    const filters = await memberFilters.read(lookUps, caller.businessId, input);
    if (filters instanceof Rejection) return filters;
    return listMemberStandings(
      { sql, lookUps, scans },
      caller,
      { ...withPhones(input, caller), ...filters },
      page,
    );
  },
});
