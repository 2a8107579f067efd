import { fields, readOperation } from "../../../contract/declare.ts";
import { findMemberWithTier } from "../../../database/members/progress.ts";
import { memberDetails } from "../../members/members.ts";
import { pick } from "../../records.ts";

export const getMember = readOperation({
  path: "/sp/members/get",
  scope: "wa.members.read",
  summary: "Get a member",
  message: "Member found.",
  description:
    "Returns one member by contact_id, active or not, with its tier, the way to the next tier, and what keeps the tier.",
  input: { contact_id: fields.contactId },
  output: memberDetails,
  errors: ["member_not_found"],
  async read({ services, caller, input, reject }) {
    const found = await findMemberWithTier(services.lookUps, caller.businessId, input);
    return found === undefined ? reject("member_not_found") : pick(found, memberDetails);
  },
});
