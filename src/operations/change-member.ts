/** Shared by the two operations that change a member. */
import { Type } from "typebox";
import type { Fail } from "../contract/errors.ts";
import * as fields from "../contract/fields.ts";
import type { Connection } from "../database/connection.ts";
import { findTakenFields, lockMember, type MemberChange, updateMember } from "../database/members/members.ts";

export const changedMember = Type.Object({
  member_id: fields.memberId,
  contact_id: fields.contactId,
  first_name: fields.firstName,
  last_name: fields.lastName,
  email: fields.nullableEmail,
});

/** The details of member_already_exists. */
export function takenDetails(fields: readonly string[]) {
  return { field: fields[0], fields };
}

/** Changes the fields given of a member, active or not, keeping phone number and e-mail address unique. */
export async function changeMember(
  tx: Connection,
  businessId: number,
  { contact_id, ...change }: MemberChange & { contact_id: number },
  fail: Fail<"member_not_found" | "member_already_exists">,
) {
  const member = await lockMember(tx, businessId, contact_id);
  if (member === undefined) return fail("member_not_found");
  const taken = await findTakenFields(tx, businessId, change, contact_id);
  if (taken.length > 0) return fail("member_already_exists", takenDetails(taken));
  const { member_id, first_name, last_name, email } = await updateMember(tx, businessId, member, change);
  return { member_id, contact_id, first_name, last_name, email };
}
