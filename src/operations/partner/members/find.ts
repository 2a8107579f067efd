import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findMemberByKey } from "../../../database/members/members.ts";
import { checkPhoneNumber, memberDetails, writtenPhoneNumber } from "../../members.ts";
import { readPhoneNumber } from "../../phone-numbers.ts";

export const findMemberOperation = readOperation({
  path: "/sp/members/find",
  scope: "wa.members.read",
  summary: "Find a member",
  description:
    "Returns the member who has this phone number, e-mail address or external reference, active or not. To search for " +
    "a part of a name or number, use /sp/members/list.",
  message: "Member found.",
  input: {
    phone_number: Type.Optional(writtenPhoneNumber),
    email: Type.Optional(fields.email),
    external_ref: Type.Optional(fields.externalRef),
  },
  atLeastOne: true,
  onlyOneOf: ["phone_number", "email", "external_ref"],
  output: memberDetails,
  errors: ["member_not_found"],
  check: ({ phone_number }, { country }) => checkPhoneNumber(phone_number, country),
  async read({ services, caller, input, fail }) {
    const phone_number = input.phone_number && readPhoneNumber(input.phone_number, caller.country);
    const found = await findMemberByKey(services.lookUps, caller.businessId, { ...input, phone_number });
    return found ?? fail("member_not_found");
  },
});
