import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { newReferralCode } from "../../../credentials/referral-codes.ts";
import { findReferralCode, setReferralCode } from "../../../database/engine/rewards/referrals.ts";
import { lockMember } from "../../../database/members/members.ts";
import { rejectMerged } from "../../members/members.ts";
import { referralCode } from "../../promotions/referrals.ts";

export const getReferralCode = writeOperation({
  path: "/sp/referrals/code",
  scope: "wa.members.write",
  emits: "member.updated",
  summary: "Get a member's referral code",
  message: "Referral code found.",
  description:
    "Returns the code by which a member brings others, and makes it the first time. It has 8 characters, and stays the same.",
  input: { contact_id: fields.contactId },
  output: Type.Object({ contact_id: fields.contactId, referral_code: referralCode }),
  errors: ["member_not_found", "member_inactive", "member_anonymous"],
  async write({ input: { contact_id }, tx, caller: { businessId }, emit, reject }) {
    const member = await lockMember(tx, businessId, contact_id);
    if (member === undefined) return reject("member_not_found");
    const merged = await rejectMerged(tx, businessId, contact_id, reject);
    if (merged !== undefined) return merged;
    if (!member.active) return reject("member_inactive", {});
    if (member.anonymous !== null) return reject("member_anonymous");
    const known = await findReferralCode(tx, businessId, contact_id);
    if (known !== undefined) return { contact_id, referral_code: known };
    const referral_code = newReferralCode();
    // If another member has it, the write is repeated with another one.
    await setReferralCode(tx, businessId, contact_id, referral_code);
    emit({ contact_ids: [contact_id], data: { changed: ["referral_code"] } });
    return { contact_id, referral_code };
  },
});
