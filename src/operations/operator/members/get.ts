import { fields, readOperation } from "../../../contract/declare.ts";
import { findMemberRecord } from "../../../database/members/records.ts";
import { member } from "../../members.ts";

export const getMemberForOperator = readOperation({
  path: "/op/members/get",
  summary: "Get a member",
  description: "Returns all fields of one member, active or not.",
  input: { business_id: fields.businessId, contact_id: fields.contactId },
  output: member,
  errors: ["member_not_found"],
  read: async ({ sql, caller, input, fail }) =>
    (await findMemberRecord(sql, caller, input.contact_id)) ?? fail("member_not_found"),
});
