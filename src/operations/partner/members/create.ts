import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { findTakenFields, insertMember } from "../../../database/members/members.ts";
import { welcome } from "../../../pipeline/postings/occasions.ts";
import { checkDateOfBirth, checkPassword, createdMember, takenDetails } from "../../members/members.ts";
import { pick } from "../../records.ts";

export const createMember = writeOperation({
  path: "/sp/members/create",
  scope: "wa.members.write",
  emits: "member.created",
  status: 201,
  summary: "Create a member",
  message: "Member created.",
  description:
    "Creates an active member with empty accounts. Phone number, e-mail address and external reference are unique in the business.",
  input: {
    first_name: fields.firstName,
    last_name: fields.lastName,
    phone_number: fields.phoneNumber,
    email: Type.Optional(fields.email),
    date_of_birth: Type.Optional(fields.dateOfBirth),
    password: Type.Optional(fields.password),
    external_ref: Type.Optional(fields.externalRef),
  },
  output: createdMember,
  errors: ["member_already_exists"],
  check: async ({ date_of_birth, password, phone_number, email }, context) => [
    ...(await checkDateOfBirth(date_of_birth, context)),
    ...checkPassword("password", password, [phone_number, email]),
  ],
  needsPreparation: ({ password }) => password !== undefined,
  prepare: async ({ input, sql, caller, services, reject }) => {
    const taken = await findTakenFields(sql, caller.businessId, input);
    if (taken.length > 0) return reject("member_already_exists", takenDetails(taken));
    return services.passwords.hash(caller.businessId, input.password as string);
  },
  async write({ input, tx, caller, prepared, emit, reject }) {
    const { password: _, email = null, date_of_birth = null, external_ref = null, ...named } = input;
    const member = { ...named, email, date_of_birth, external_ref, password_hash: prepared ?? null };
    // The statements are sent together. If another transaction makes the same member meanwhile, the insert fails and the write
    // is retried.
    const taking = findTakenFields(tx, caller.businessId, member);
    const making = insertMember(tx, caller.businessId, member);
    making.catch(() => undefined);
    const taken = await taking;
    if (taken.length > 0) return reject("member_already_exists", takenDetails(taken));
    const made = await making;
    await welcome(tx, caller.businessId, made);
    emit({ contact_ids: [made.contact_id], data: { member_id: made.member_id } });
    return pick(made, createdMember);
  },
});
