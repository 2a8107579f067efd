import { fieldError, fields, readOperation, Type } from "../../../contract/declare.ts";
import { findMemberByKey } from "../../../database/members/members.ts";
import { memberDetails } from "../../members.ts";

const externalRef = fields.text(
  255,
  "The member's number in the system that it was imported from.",
  "C-4711",
);

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
    phone_number: Type.Optional(fields.phoneNumber),
    email: Type.Optional(fields.email),
    external_ref: Type.Optional(externalRef),
  },
  atLeastOne: true,
  output: memberDetails,
  example: { phone_number: "+353209100016" },
  errors: ["member_not_found"],
  check(input) {
    const [first, second] = names.filter((name) => input[name] !== undefined);
    if (first === undefined || second === undefined) return [];
    return [fieldError(second, "not_allowed_value", `must not be sent together with ${first}`)];
  },
  read: async ({ services, caller, input, fail }) =>
    (await findMemberByKey(services.lookUps, caller.businessId, input)) ?? fail("member_not_found"),
});
