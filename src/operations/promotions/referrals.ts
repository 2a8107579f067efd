/** The fields of referrals. */
import { fields, Type } from "../../contract/declare.ts";
import { referralCodeLength, referralStatuses } from "../../domain/engine/referrals.ts";
import { nullableDay } from "../sales/sales.ts";

const description = "The code by which the member brings others.";
export const referralCode = fields.personal(fields.text(referralCodeLength, description, "7KQ2M0XR"));

/** A code as it is typed or scanned. */
export const writtenReferralCode = {
  ...fields.personal(fields.text(64, description, "7kq2-m0xr")),
  format: "pasted-text" as const,
  description:
    "The code of the member who brought this one. Case, blanks and hyphens make no difference, nor do the letters O, I and L for the " +
    "digits 0 and 1.",
};

export const referralStatus = fields.choice(
  referralStatuses,
  "open: the new member has bought nothing yet. qualified: its first sale reached the minimum, and both get something after ends_on. " +
    "granted: they got it. lapsed: too little was bought or kept, or the two were merged.",
);

export const referrerId = { ...fields.contactId, description: "The member who brought this one." };
export const firstSaleId = fields.nullable(
  fields.saleId,
  "The first sale of the new member; null before it.",
  1045,
);

export const referral = Type.Object({
  contact_id: fields.contactId,
  referrer_contact_id: referrerId,
  status: referralStatus,
  created_at: fields.timestamp,
  sale_id: firstSaleId,
  ends_on: nullableDay(
    "The day from which both get something, if enough of the sale is kept; null before the sale.",
  ),
});
