import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listReferrals } from "../../../database/engine/rewards/referrals.ts";
import { findMember } from "../../../database/members/members.ts";
import { referral, referralStatus } from "../../promotions/referrals.ts";

export const listReferralsForOperator = listOperation({
  path: "/op/referrals/list",
  role: "viewer",
  summary: "List referrals",
  message: "Referrals listed.",
  description:
    "Lists who brought whom, newest member first: all of them, or those of a member on either side.",
  columns: ["contact_id", "referrer_contact_id", "status", "created_at", "sale_id", "ends_on"],
  input: {
    business_id: fields.businessId,
    contact_id: Type.Optional({ ...fields.contactId, description: "Only referrals of this member." }),
    status: Type.Optional(referralStatus),
  },
  output: referral,
  errors: ["member_not_found"],
  async list({ sql, services, caller, input, page, reject }) {
    const { contact_id, status } = input;
    const member =
      contact_id === undefined
        ? undefined
        : ((await findMember(services.lookUps, caller.businessId, contact_id)) ?? null);
    if (member === null) return reject("member_not_found");
    const filter = { contact_id: member?.contact_id, status };
    return listReferrals({ sql, scans: services.scans }, caller, filter, page);
  },
});
