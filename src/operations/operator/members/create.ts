import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { findTakenFields, insertMember } from "../../../database/members/members.ts";
import { welcome } from "../../../pipeline/postings/occasions.ts";
import {
  checkDateOfBirth,
  checkPhoneNumber,
  memberData,
  takenDetails,
  writtenPhoneNumber,
} from "../../members/members.ts";
import { readPhoneNumber } from "../../members/phone-numbers.ts";
import { pick } from "../../records.ts";

export const createMemberForOperator = writeOperation({
  path: "/op/members/create",
  role: "support",
  event: "member.created",
  emits: "member.created",
  status: 201,
  summary: "Create a member",
  message: "Member created.",
  description:
    "Creates an active member with empty accounts. Phone number, e-mail address and external reference are unique in the " +
    "business. The audit log gets only the contact_id, because it is never erased.",
  input: {
    business_id: fields.businessId,
    first_name: fields.firstName,
    last_name: fields.lastName,
    phone_number: writtenPhoneNumber,
    email: Type.Optional(fields.email),
    date_of_birth: Type.Optional(fields.dateOfBirth),
    external_ref: Type.Optional(fields.externalRef),
  },
  output: memberData,
  errors: ["member_already_exists"],
  check: async ({ date_of_birth, phone_number }, context) => [
    ...checkPhoneNumber(phone_number, context.country),
    ...(await checkDateOfBirth(date_of_birth, context)),
  ],
  async write({ input, tx, caller: { businessId, country }, audit, emit, reject }) {
    const { first_name, last_name, email = null, date_of_birth = null, external_ref = null } = input;
    const phone_number = readPhoneNumber(input.phone_number, country) as string;
    const member = { first_name, last_name, phone_number, email, date_of_birth, external_ref };
    const taken = await findTakenFields(tx, businessId, member);
    if (taken.length > 0) return reject("member_already_exists", takenDetails(taken));
    const made = await insertMember(tx, businessId, { ...member, password_hash: null });
    await welcome(tx, businessId, made);
    audit({ before: null, after: { contact_id: made.contact_id } });
    emit({ contact_ids: [made.contact_id], data: { member_id: made.member_id } });
    return pick({ ...made, date_of_birth }, memberData);
  },
});
