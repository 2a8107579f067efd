import { fields, type Rejection, writeOperation } from "../../../contract/declare.ts";
import { findCodeOwner, insertReferral } from "../../../database/engine/rewards/referrals.ts";
import { findCurrentRules } from "../../../database/engine/rules.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { lockMember } from "../../../database/members/members.ts";
import { referralKey, referralOccasions, refusalOf } from "../../../domain/engine/referrals.ts";
import { countReferrals } from "../../../pipeline/postings/following.ts";
import { rejectMerged } from "../../members/members.ts";
import { countWrongCode, tooManyWrongCodes } from "../../members/wrong-codes.ts";
import { referral, writtenReferralCode } from "../../promotions/referrals.ts";

export const createReferral = writeOperation({
  path: "/sp/referrals/create",
  scope: "wa.members.write",
  emits: "referral.created",
  status: 201,
  summary: "Record who brought a member",
  message: "Referral recorded.",
  description:
    "Records that a member was brought by the owner of a referral code. Send it before the member's first sale. Both get what the " +
    "business gives for it when that sale reaches the minimum and enough of it was kept.",
  input: { contact_id: fields.contactId, referral_code: writtenReferralCode },
  output: referral,
  errors: [
    "member_not_found",
    "member_inactive",
    "member_anonymous",
    "referral_code_not_found",
    "referral_refused",
  ],
  async write({ input: { contact_id, referral_code }, tx, caller, services, emit, reject }) {
    const { businessId } = caller;
    // Sales wait, so that the first one comes before or after.
    const ledger = await lockLedger(tx, businessId);
    const member = await lockMember(tx, businessId, contact_id);
    if (ledger === undefined || member === undefined) return reject("member_not_found");
    const merged = await rejectMerged(tx, businessId, contact_id, reject);
    if (merged !== undefined) return merged;
    if (!member.active) return reject("member_inactive", {});
    if (member.anonymous !== null) return reject("member_anonymous");
    const rules = await findCurrentRules(tx, businessId);
    if (referralOccasions(rules, ledger.today).length === 0)
      return reject("referral_refused", { reason: "off" });
    const limited = tooManyWrongCodes({ services, caller });
    if (limited !== undefined) return limited as Rejection<never>;
    const owner = await findCodeOwner(tx, businessId, contact_id, referralKey(referral_code));
    if (owner === undefined) {
      countWrongCode({ services, caller });
      return reject("referral_code_not_found");
    }
    const reason = refusalOf(owner, rules);
    if (reason !== undefined) return reject("referral_refused", { reason });
    const made = await insertReferral(tx, caller, contact_id, owner.referrer_contact_id);
    await countReferrals(tx, [{ business_id: businessId, decided_on: ledger.today, status: made.status }]);
    emit({ contact_ids: [contact_id], data: { referrer_contact_id: made.referrer_contact_id } });
    return made;
  },
});
