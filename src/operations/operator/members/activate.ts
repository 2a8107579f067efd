import { fields, writeOperation } from "../../../contract/declare.ts";
import { setActive } from "../../../database/members/members.ts";
import * as operator from "../../operator-fields.ts";

export const activateMember = writeOperation({
  path: "/op/members/activate",
  event: "member.activated",
  summary: "Activate a member",
  description: "Makes a member active: partners can adjust and update it again.",
  message: "Member activated.",
  input: { business_id: fields.businessId, contact_id: fields.contactId },
  output: operator.memberStanding,
  errors: ["member_not_found"],
  async write({ input, tx, caller, audit, fail }) {
    const before = await setActive(tx, caller.businessId, input.contact_id, true);
    if (before === undefined) return fail("member_not_found");
    const after = { ...before, active: true };
    audit({ before, after });
    return after;
  },
});
