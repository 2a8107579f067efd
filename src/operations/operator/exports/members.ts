import { exportMembers } from "../../../database/members/records.ts";
import { exportOperation } from "../../exports.ts";
import { member } from "../../members.ts";

export const exportMembersOperation = exportOperation({
  rows: "members",
  noun: "members",
  returns: "all fields of the members of a business, active or not, in the order of member_id",
  row: member,
  key: "member_id",
  read: exportMembers,
});
