import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { changedMember, changeMember } from "../../members/members.ts";

export const updateMemberOperation = writeOperation({
  path: "/sp/members/update",
  scope: "wa.members.write",
  emits: "member.updated",
  summary: "Update a member",
  message: "Member updated.",
  description:
    "Changes a member's names and e-mail address. Fields that you omit don't change; `null` clears the e-mail address.",
  input: {
    contact_id: fields.contactId,
    first_name: Type.Optional(fields.firstName),
    last_name: Type.Optional(fields.lastName),
    email: Type.Optional(fields.nullableEmail),
  },
  atLeastOne: true,
  output: changedMember,
  errors: ["member_not_found", "member_inactive", "member_already_exists"],
  write: ({ input, tx, caller, ...context }) => changeMember(tx, caller.businessId, input, context),
});
