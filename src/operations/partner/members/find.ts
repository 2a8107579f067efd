import { fieldError, fields, readOperation, Type } from "../../../contract/declare.ts";
import { findMemberByKey } from "../../../database/members/members.ts";
import { memberDetails } from "../../members.ts";
import { readPhoneNumber } from "../../phone-numbers.ts";

const phoneNumber = Type.String({
  minLength: 1,
  maxLength: 50,
  format: "plain-text",
  description:
    "Phone number with its country code after a plus sign or 00; without them, in the national form of the business's " +
    "country, if it has one. It can have spaces, hyphens, dots and parentheses.",
  examples: ["+34 600 111 222"],
});

const names = ["phone_number", "email", "external_ref"] as const;

export const findMemberOperation = readOperation({
  path: "/sp/members/find",
  scope: "wa.members.read",
  summary: "Find a member",
  description:
    "Returns the member who has this phone number, e-mail address or external reference, active or not. To search for " +
    "a part of a name or number, use /sp/members/list.",
  message: "Member found.",
  input: {
    phone_number: Type.Optional(phoneNumber),
    email: Type.Optional(fields.email),
    external_ref: Type.Optional(fields.externalRef),
  },
  atLeastOne: true,
  output: memberDetails,
  errors: ["member_not_found"],
  check(input, { country }) {
    const [first, second] = names.filter((name) => input[name] !== undefined);
    if (first !== undefined && second !== undefined) {
      return [fieldError(second, "not_allowed_value", `must not be sent together with ${first}`)];
    }
    const { phone_number } = input;
    if (phone_number === undefined || readPhoneNumber(phone_number, country) !== undefined) return [];
    return [
      fieldError(
        "phone_number",
        "invalid_format",
        "must be an international phone number such as +34600111222",
      ),
    ];
  },
  async read({ services, caller, input, fail }) {
    const phone_number = input.phone_number && readPhoneNumber(input.phone_number, caller.country);
    const found = await findMemberByKey(services.lookUps, caller.businessId, { ...input, phone_number });
    return found ?? fail("member_not_found");
  },
});
