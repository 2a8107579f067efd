import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listMembers } from "../../../database/members/list.ts";
import { checkSearch, createdMember, withPhones } from "../../members/members.ts";

export const listMembersOperation = listOperation({
  path: "/sp/members/list",
  scope: "wa.members.read",
  summary: "List members",
  message: "Members listed.",
  description: "Lists the members of the business, newest first: all of them, or those that a search finds.",
  input: {
    search: Type.Optional(fields.search),
    include_inactive: fields.option("Whether to include inactive members."),
  },
  output: Type.Omit(createdMember, ["email"]),
  check: ({ search }) => checkSearch(search),
  list: ({ sql, services: { lookUps, scans }, caller, input, page }) =>
    listMembers({ sql, lookUps, scans }, caller.businessId, withPhones(input, caller), page),
});
