import { exportMembers } from "../../../database/members/records.ts";
import { exportOperation } from "../../exports.ts";
import { memberFilters } from "../../members/member-filters.ts";
import { member } from "../../members/members.ts";

export const exportMembersOperation = exportOperation({
  rows: "members",
  noun: "members",
  returns: "all fields of the members of a business, active or not, in the order of member_id",
  more: " With the filters of /op/members/list, it returns only members that meet all of them.",
  row: member,
  filters: memberFilters,
  key: "member_id",
  read: exportMembers,
});
