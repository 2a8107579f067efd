import { fields, writeOperation } from "../../../contract/declare.ts";
import { setActive } from "../../../database/members/members.ts";
import * as operator from "../../operator-fields.ts";

export const deactivateMember = writeOperation({
  path: "/op/members/deactivate",
  event: "member.deactivated",
  summary: "Deactivate a member",
  description: "Makes a member inactive: its balances stay, and partners can neither adjust nor update it.",
  message: "Member deactivated.",
  input: { business_id: fields.businessId, contact_id: fields.contactId },
  output: operator.memberStanding,
  errors: ["member_not_found"],
  async write({ input, tx, caller, audit, fail }) {
    const before = await setActive(tx, caller.businessId, input.contact_id, false);
    if (before === undefined) return fail("member_not_found");
    const after = { ...before, active: false };
    audit({ before, after });
    return after;
  },
});
