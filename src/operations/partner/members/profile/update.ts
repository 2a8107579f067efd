import { fields, Type, writeOperation } from "../../../../contract/declare.ts";
import { changedMember, changeMember, checkDateOfBirth } from "../../../members/members.ts";

export const updateMemberProfile = writeOperation({
  path: "/sp/members/profile/update",
  scope: "wa.members.write",
  emits: "member.updated",
  summary: "Update a member's profile",
  description:
    "Changes a member's names, e-mail address, phone number, date of birth and external reference. " +
    "Fields that you omit don't change; `null` clears the e-mail address, the date of birth or the external reference.",
  message: "Member profile updated.",
  input: {
    contact_id: fields.contactId,
    first_name: Type.Optional(fields.firstName),
    last_name: Type.Optional(fields.lastName),
    email: Type.Optional(fields.nullableEmail),
    phone_number: Type.Optional(fields.phoneNumber),
    date_of_birth: Type.Optional(fields.nullableDateOfBirth),
    external_ref: Type.Optional(fields.nullableExternalRef),
  },
  atLeastOne: true,
  output: changedMember,
  errors: ["member_not_found", "member_inactive", "member_already_exists"],
  check: ({ date_of_birth }, context) => checkDateOfBirth(date_of_birth, context),
  write: ({ input, tx, caller, ...context }) => changeMember(tx, caller.businessId, input, context),
});
