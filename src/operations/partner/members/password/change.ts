import { Type } from "typebox";
import * as fields from "../../../../contract/fields.ts";
import { writeOperation } from "../../../../contract/operation.ts";
import { lockMember, updatePasswordHash } from "../../../../database/members.ts";
import { checkPassword } from "../../../checks.ts";
import { hashPassword } from "../../../hash-password.ts";

export const changeMemberPassword = writeOperation({
  path: "/sp/members/password/change",
  scope: "wa.members.write",
  status: 200,
  summary: "Change a member's password",
  description: "Replaces a member's password. It is stored as a salted Argon2id hash and never returned.",
  message: "Password changed.",
  input: Type.Object({ contact_id: fields.contactId, new_password: fields.password }),
  output: Type.Object({
    member_id: fields.memberId,
    contact_id: fields.contactId,
    password_changed: Type.Boolean({ description: "Always true.", examples: [true] }),
  }),
  errors: ["member_not_found", "member_inactive", "validation_failed"],
  check: ({ new_password }) => checkPassword("new_password", new_password, []),
  prepare: ({ input, services }) => hashPassword(services, input.new_password),
  async write({ input, tx, caller, prepared, fail }) {
    const member = await lockMember(tx, caller.businessId, input.contact_id);
    if (member === undefined) return fail("member_not_found");
    if (!member.active) return fail("member_inactive");
    // Only now is it known what the member's own phone number and e-mail address are.
    const errors = checkPassword("new_password", input.new_password, [member.phone_number, member.email]);
    if (errors.length > 0) return fail("validation_failed", { errors });
    await updatePasswordHash(tx, caller.businessId, member.contact_id, prepared);
    return { member_id: member.member_id, contact_id: member.contact_id, password_changed: true };
  },
});
