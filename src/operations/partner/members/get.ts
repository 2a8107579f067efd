import { fields, readOperation } from "../../../contract/declare.ts";
import { findMember } from "../../../database/members/members.ts";
import { memberDetails } from "../../members.ts";

export const getMember = readOperation({
  path: "/sp/members/get",
  scope: "wa.members.read",
  summary: "Get a member",
  description: "Returns one member by contact_id, active or not.",
  message: "Member found.",
  input: { contact_id: fields.contactId },
  output: memberDetails,
  errors: ["member_not_found"],
  read: async ({ services, caller, input, fail }) =>
    (await findMember(services.lookUps, caller.businessId, input.contact_id)) ?? fail("member_not_found"),
});
