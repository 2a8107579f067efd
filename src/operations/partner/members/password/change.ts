import { fields, type Reject, Rejection, Type, writeOperation } from "../../../../contract/declare.ts";
import {
  findMember,
  lockMember,
  type MemberRow,
  updatePasswordHash,
} from "../../../../database/members/members.ts";
import { checkPassword, rejectMerged } from "../../../members/members.ts";

/** Checks the password, and that it is not the member's phone number or e-mail address. */
function mayHave(
  password: string,
  member: MemberRow | undefined,
  reject: Reject<"member_not_found" | "validation_failed">,
): MemberRow | Rejection<"member_not_found" | "validation_failed"> {
  if (member === undefined) return reject("member_not_found");
  const errors = checkPassword("new_password", password, [member.phone_number, member.email]);
  return errors.length > 0 ? reject("validation_failed", { errors }) : member;
}

export const changeMemberPassword = writeOperation({
  path: "/sp/members/password/change",
  scope: "wa.members.write",
  summary: "Change a member's password",
  message: "Password changed.",
  description: "Replaces a member's password. It is stored as a salted Argon2id hash and never returned.",
  input: { contact_id: fields.contactId, new_password: fields.password },
  output: Type.Object({
    member_id: fields.memberId,
    contact_id: fields.contactId,
    password_changed: fields.flag("Always true.", true),
  }),
  errors: ["member_not_found", "member_inactive", "validation_failed"],
  check: ({ new_password }) => checkPassword("new_password", new_password, []),
  // Hashing takes much time, so it is not done for a member that does not exist.
  prepare: async ({ input, sql, caller, services, reject }) => {
    const found = await findMember(sql, caller.businessId, input.contact_id);
    const member = mayHave(input.new_password, found, reject);
    if (member instanceof Rejection) return member;
    return services.passwords.hash(caller.businessId, input.new_password);
  },
  async write({ input, tx, caller, prepared, reject }) {
    const locked = await lockMember(tx, caller.businessId, input.contact_id);
    const member = mayHave(input.new_password, locked, reject);
    if (member instanceof Rejection) return member;
    const rejection = await rejectMerged(tx, caller.businessId, input.contact_id, reject);
    if (rejection !== undefined) return rejection;
    await updatePasswordHash(tx, caller.businessId, member.contact_id, prepared);
    return { member_id: member.member_id, contact_id: member.contact_id, password_changed: true };
  },
});
