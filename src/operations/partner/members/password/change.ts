import { type Fail, fields, Refusal, Type, writeOperation } from "../../../../contract/declare.ts";
import {
  findMember,
  lockMember,
  type MemberRow,
  updatePasswordHash,
} from "../../../../database/members/members.ts";
import { checkPassword, rejectMerged } from "../../../members.ts";

/** Checks the password, and that it is not the member's phone number or e-mail address. */
function mayHave(
  password: string,
  member: MemberRow | undefined,
  fail: Fail<"member_not_found" | "validation_failed">,
): MemberRow | Refusal<"member_not_found" | "validation_failed"> {
  if (member === undefined) return fail("member_not_found");
  const errors = checkPassword("new_password", password, [member.phone_number, member.email]);
  return errors.length > 0 ? fail("validation_failed", { errors }) : member;
}

export const changeMemberPassword = writeOperation({
  path: "/sp/members/password/change",
  scope: "wa.members.write",
  summary: "Change a member's password",
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
  prepare: async ({ input, sql, caller, services, fail }) => {
    const found = await findMember(sql, caller.businessId, input.contact_id);
    const member = mayHave(input.new_password, found, fail);
    if (member instanceof Refusal) return member;
    return services.passwords.hash(caller.businessId, input.new_password);
  },
  async write({ input, tx, caller, prepared, fail }) {
    const locked = await lockMember(tx, caller.businessId, input.contact_id);
    const member = mayHave(input.new_password, locked, fail);
    if (member instanceof Refusal) return member;
    const refusal = await rejectMerged(tx, caller.businessId, input.contact_id, fail);
    if (refusal !== undefined) return refusal;
    await updatePasswordHash(tx, caller.businessId, member.contact_id, prepared);
    return { member_id: member.member_id, contact_id: member.contact_id, password_changed: true };
  },
});
