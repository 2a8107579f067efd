import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findMemberWithTier } from "../../../database/members/progress.ts";
import { withoutDirectionMarks } from "../../../domain/text.ts";
import { checkPhoneNumber, memberDetails, writtenPhoneNumber } from "../../members.ts";
import { readPhoneNumber } from "../../phone-numbers.ts";
import { pick } from "../../records.ts";

export const findMemberOperation = readOperation({
  path: "/sp/members/find",
  scope: "wa.members.read",
  summary: "Find a member",
  message: "Member found.",
  description:
    "Returns the member who has this phone number, e-mail address or external reference, active or not. To search for " +
    "a part of a name or number, use /sp/members/list.",
  operator: {
    role: "viewer",
    summary: "Find a member by phone, e-mail or card",
    description:
      "Returns the member who has this phone number, e-mail address or external reference, such as the number of a card, " +
      "active or not. To search for a part of a name or number, use /op/members/list.",
  },
  input: {
    phone_number: Type.Optional(writtenPhoneNumber),
    email: Type.Optional(fields.email),
    external_ref: Type.Optional(fields.writtenExternalRef),
  },
  atLeastOne: true,
  onlyOneOf: ["phone_number", "email", "external_ref"],
  output: memberDetails,
  errors: ["member_not_found"],
  check: ({ phone_number }, { country }) => checkPhoneNumber(phone_number, country),
  async read({ services, caller, input, reject }) {
    const phone_number = input.phone_number && readPhoneNumber(input.phone_number, caller.country);
    const external_ref = input.external_ref && withoutDirectionMarks(input.external_ref);
    const sought = { email: input.email, phone_number, external_ref };
    const found = await findMemberWithTier(services.lookUps, caller.businessId, sought);
    return found === undefined ? reject("member_not_found") : pick(found, memberDetails);
  },
});
