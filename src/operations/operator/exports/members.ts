import { fields } from "../../../contract/declare.ts";
import { exportMembers } from "../../../database/members/records.ts";
import { exportOperation } from "../../exports.ts";
import { member } from "../../members.ts";

export const exportMembersOperation = exportOperation({
  rows: "members",
  noun: "members",
  summary: "Export members",
  description:
    "Returns all fields of the members of a business, active or not, in the order of member_id, some thousand at a " +
    "time. Repeat the request with next_after_member_id as after_member_id until it is null.",
  message: "Members exported.",
  row: member,
  key: "member_id",
  keySchema: fields.memberId,
  read: exportMembers,
});
