/** What the two operations that change a member have in common. */
import { Type } from "typebox";
import type { Fail } from "../contract/errors.ts";
import * as fields from "../contract/fields.ts";
import type { Connection } from "../database/connection.ts";
import { findTakenField, lockMember, type MemberChange, updateMember } from "../database/members.ts";

export const changedMember = Type.Object({
  member_id: fields.memberId,
  contact_id: fields.contactId,
  first_name: fields.firstName,
  last_name: fields.lastName,
  email: fields.nullableEmail,
});

/** Changes the fields given of an active member, keeping phone number and e-mail address unique. */
export async function changeMember(
  tx: Connection,
  businessId: number,
  { contact_id, ...change }: MemberChange & { contact_id: number },
  fail: Fail<"member_not_found" | "member_inactive" | "member_already_exists">,
) {
  const member = await lockMember(tx, businessId, contact_id);
  if (member === undefined) return fail("member_not_found");
  if (!member.active) return fail("member_inactive");
  const field = await findTakenField(tx, businessId, change, contact_id);
  if (field !== undefined) return fail("member_already_exists", { field });
  const { member_id, first_name, last_name, email } = await updateMember(tx, businessId, member, change);
  return { member_id, contact_id, first_name, last_name, email };
}
