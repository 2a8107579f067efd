import { fields, Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import { findMemberRecord } from "../../../database/members/records.ts";
import {
  changeMember,
  checkDateOfBirth,
  checkPhoneNumber,
  memberData,
  writtenPhoneNumber,
} from "../../members/members.ts";
import { readPhoneNumber } from "../../members/phone-numbers.ts";
import { pick } from "../../records.ts";

const changedData = Type.Object({ ...memberData.properties, remarks: fields.nullableRemarks });

export const updateMemberForOperator = writeOperation({
  path: "/op/members/update",
  role: "support",
  event: "member.updated",
  emits: "member.updated",
  summary: "Change a member's data",
  description:
    "Changes a member's names, phone number, e-mail address, date of birth, remarks and external reference, which is the " +
    "number in another system. Fields that you omit don't change; null clears the e-mail address, the date of birth, the remarks " +
    "or the external reference. " +
    "The audit log gets the names of the changed fields, but not their values, because it is never erased.",
  message: "Member updated.",
  input: {
    business_id: fields.businessId,
    contact_id: fields.contactId,
    first_name: Type.Optional(fields.firstName),
    last_name: Type.Optional(fields.lastName),
    phone_number: Type.Optional(writtenPhoneNumber),
    email: Type.Optional(fields.nullableEmail),
    date_of_birth: Type.Optional(fields.nullableDateOfBirth),
    external_ref: Type.Optional(fields.nullableExternalRef),
    remarks: Type.Optional(fields.nullableRemarks),
  },
  atLeastOne: true,
  output: changedData,
  errors: ["member_not_found", "member_inactive", "member_already_exists"],
  check: async ({ date_of_birth, phone_number }, context) => [
    ...checkPhoneNumber(phone_number, context.country),
    ...(await checkDateOfBirth(date_of_birth, context)),
  ],
  async write({ input: { business_id: _, ...input }, tx, caller, audit, emit, reject }) {
    const { contact_id, ...change } = input;
    const phone_number = change.phone_number && readPhoneNumber(change.phone_number, caller.country);
    const changed = await changeMember(tx, caller.businessId, { ...input, phone_number }, { reject, emit });
    if (changed instanceof Rejection) return changed;
    audit({ before: { contact_id }, after: { contact_id, changed: Object.keys(change) } });
    const member = await findMemberRecord(tx, caller, contact_id);
    return member === undefined ? reject("member_not_found") : pick(member, changedData);
  },
});
