import { fields, listOperation } from "../../../contract/declare.ts";
import { listReferrals } from "../../../database/engine/rewards/referrals.ts";
import { findMember } from "../../../database/members/members.ts";
import { referral } from "../../promotions/referrals.ts";

export const listReferralsOfMember = listOperation({
  path: "/sp/referrals/list",
  scope: "wa.members.read",
  summary: "List a member's referrals",
  message: "Referrals listed.",
  description: "Lists the members whom a member has brought, and who brought this one, newest member first.",
  columns: ["contact_id", "referrer_contact_id", "status", "created_at", "ends_on"],
  input: { contact_id: fields.contactId },
  output: referral,
  errors: ["member_not_found"],
  async list({ sql, services, caller, input, page, reject }) {
    const member = await findMember(services.lookUps, caller.businessId, input.contact_id);
    if (member === undefined) return reject("member_not_found");
    const { contact_id } = member;
    return listReferrals({ sql, scans: services.scans }, caller, { contact_id }, page);
  },
});
