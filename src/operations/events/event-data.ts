/** What the data of each type of event has, besides the fields that all events have. */

import { fields, type TObject, type TProperties, type TSchema, Type } from "../../contract/declare.ts";
import { mostStampsOfSale } from "../../domain/engine/stamps/counting.ts";
import { type EventName, eventMeanings, eventNames } from "../../domain/events.ts";
import { money, points } from "../amounts.ts";
import { toldCardFields } from "../members/cards.ts";
import { keepingDays } from "../members/members.ts";
import { eraseMemberOperation } from "../operator/members/erase.ts";
import { stampByHand } from "../operator/stamp-cards/stamp.ts";
import { claimCard } from "../partner/cards/claim.ts";
import { issueCard } from "../partner/cards/issue.ts";
import { replaceCard } from "../partner/cards/replace.ts";
import { mergeMembers } from "../partner/members/merge.ts";
import { adjustRewardPoints } from "../partner/reward-points/adjust.ts";
import { redeemPoints } from "../partner/reward-points/redeem.ts";
import { reverseRedemption } from "../partner/reward-points/reverse.ts";
import { recordSale } from "../partner/sales/record.ts";
import { refundSale } from "../partner/sales/refund.ts";
import { issueVoucher } from "../partner/vouchers/issue.ts";
import { redeemVoucher } from "../partner/vouchers/redeem.ts";
import { reverseVoucher } from "../partner/vouchers/reverse.ts";
import { adjustWallet } from "../partner/wallet/adjust.ts";
import { payFromWallet } from "../partner/wallet/pay.ts";
import { reverseMovement } from "../partner/wallet/reverse.ts";
import { topUpWallet } from "../partner/wallet/topup.ts";
import { occasionKind } from "../promotions/occasions.ts";
import { firstSaleId, referrerId } from "../promotions/referrals.ts";
import { stampsChange, stampsNow, stampsOwedNow } from "../promotions/stamps.ts";
import { balances as allBalances } from "../sales/sales.ts";
import { event } from "./events.ts";

const balances = {
  ...Type.Partial(allBalances),
  description: "The balances afterwards, of the accounts that the operation can change.",
};
const propertiesOf = ({ output }: { readonly output: unknown }): TProperties =>
  (output as TObject).properties;

/** The data of the response, and what every posting has. */
const ofPosting = (operation: { readonly output: unknown }): TProperties => ({
  ...propertiesOf(operation),
  location_id: Type.Optional(fields.locationId),
  reference_id: { ...fields.referenceId, description: "The caller's reference, or a generated one." },
  balances,
});

const validThrough = fields.day("The last day.");
const tierId = fields.nullable(fields.tierId, "The tier; null without one.", 2);
const tier = {
  from: { ...tierId, description: "The tier before; null without one." },
  to: { ...tierId, description: "The tier now; null without one." },
  since: fields.day("The first day of the tier."),
  valid_through: fields.nullable(validThrough, "The last day of the tier; null without one.", "2026-12-31"),
  by_hand: fields.flag("Whether an operator assigned it.", false),
  cause_sale_id: fields.nullable(
    fields.identifier("The sale.", 812),
    "The sale by which it was reached; null without one, and for an integration that is limited to some locations.",
    812,
  ),
};
const heldVoucher = {
  held_voucher_id: fields.identifier("The voucher of the member.", 31),
  voucher_id: fields.voucherId,
  coupon_value: fields.couponValue,
};
const manyContactIds = (description: string) =>
  Type.Array(fields.contactId, { maxItems: 1000, description, examples: [[100001, 100002]] });
const imported = { imported: fields.count("The number of lines of this part of the import.", 500) };
const saleOfStamps = Type.Optional(
  fields.identifier("The sale that was recorded or refunded; absent without one.", 812),
);
const referralData = { referrer_contact_id: referrerId, sale_id: firstSaleId, balances };
const active = { active: fields.flag("Whether the member is active now.", true) };
const moment = fields.timestamp;

/** The further fields of the data, by the type of the event. */
const eventData: Readonly<Record<EventName, TProperties>> = {
  "sale.recorded": ofPosting(recordSale),
  "sale.refunded": ofPosting(refundSale),
  "sales.imported": imported,
  "wallet.topped_up": ofPosting(topUpWallet),
  "wallet.paid": ofPosting(payFromWallet),
  "wallet.reversed": ofPosting(reverseMovement),
  "wallet.adjusted": ofPosting(adjustWallet),
  "reward_points.matured": { points: points("Points that can be spent now.", 45), balances },
  "reward_points.redeemed": ofPosting(redeemPoints),
  "reward_points.restored": ofPosting(reverseRedemption),
  "reward_points.adjusted": ofPosting(adjustRewardPoints),
  "reward_points.expiring": {
    valid_through: validThrough,
    points: points("The points of all members together.", 120),
    members: Type.Array(
      Type.Object({
        contact_id: fields.contactId,
        points: points("The points that the member had when the notice was written.", 120),
      }),
      { maxItems: 100, description: "The members whose points end on that day." },
    ),
  },
  "reward_points.expired": { points: points("The points of all members together.", 120) },
  "voucher.issued": ofPosting(issueVoucher),
  "voucher.redeemed": ofPosting(redeemVoucher),
  "voucher.reversed": ofPosting(reverseVoucher),
  "voucher.expiring": {
    valid_through: validThrough,
    vouchers: Type.Array(Type.Object({ contact_id: fields.contactId, ...heldVoucher }), {
      maxItems: 100,
      description: "The vouchers that end on that day.",
    }),
  },
  "voucher.lapsed": {
    ...heldVoucher,
    valid_through: fields.nullable(validThrough, "The last day of the voucher.", "2026-12-31"),
  },
  "stamp_card.stamped": {
    ...Type.Partial(Type.Object(ofPosting(stampByHand))).properties,
    stamp_card_id: fields.stampCardId,
    change: stampsChange,
    stamps: stampsNow,
    stamps_owed: stampsOwedNow,
    sale_id: saleOfStamps,
  },
  "stamp_card.completed": {
    stamp_card_id: fields.stampCardId,
    sale_id: saleOfStamps,
    completed: fields.count("How often it was full.", 1),
    stamps: stampsNow,
    held_voucher_ids: Type.Array(heldVoucher.held_voucher_id, {
      maxItems: mostStampsOfSale,
      description: "The vouchers that it gave.",
      examples: [[31]],
    }),
  },
  "stamp_card.expiring": {
    valid_through: validThrough,
    cards: Type.Array(
      Type.Object({
        contact_id: fields.contactId,
        stamp_card_id: fields.stampCardId,
        stamps: fields.count("The stamps that end on that day.", 7),
      }),
      { maxItems: 100, description: "The cards whose stamps end on that day." },
    ),
  },
  "stamp_card.lapsed": {
    stamp_card_id: fields.stampCardId,
    lapsed: fields.count("The stamps that lapsed.", 7),
    valid_through: validThrough,
  },
  "occasion.granted": {
    occasion_id: fields.occasionId,
    kind: occasionKind,
    occurrence: fields.text(
      16,
      "The year; for tier_reached, the day; for referred and referrer, the contact_id of the new member; for bulk, once.",
      "2026",
    ),
    tier_id: fields.nullable(fields.tierId, "The tier that the member reached; null for other kinds.", null),
    points: fields.nullable(points("Points that the member got.", 100), "The points; null: a voucher.", 100),
    held_voucher_id: fields.nullable(heldVoucher.held_voucher_id, "The voucher; null: points.", null),
    voucher_id: fields.nullable(fields.voucherId, "Its definition; null: points.", null),
    coupon_value: fields.nullable(fields.couponValue, "Its value; null: points.", null),
    valid_through: fields.nullable(
      validThrough,
      "The last day of the points or the voucher; null without one.",
      "2026-12-31",
    ),
    reference_id: { ...fields.referenceId, description: "The reference of the entries: occasion-2-2026." },
    balances,
  },
  "referral.created": { referrer_contact_id: referrerId },
  "referral.qualified": referralData,
  "referral.granted": referralData,
  "referral.lapsed": referralData,
  "member.created": { member_id: fields.identifier("The number of the member in lists.", 1) },
  "member.updated": {
    changed: Type.Array(fields.text(64, "A field.", "email"), {
      maxItems: 20,
      description: "The names of the fields that changed.",
    }),
  },
  "member.activated": active,
  "member.deactivated": active,
  "member.merged": {
    from_contact_id: { ...fields.contactId, description: "The member that was merged." },
    ...propertiesOf(mergeMembers),
  },
  "member.erased": {
    merged_contact_ids: manyContactIds("The members that were merged into it, which were erased, too."),
    ...propertiesOf(eraseMemberOperation),
  },
  "members.imported": { contact_ids: manyContactIds("The members.") },
  "vouchers.imported": imported,
  "card.created": toldCardFields,
  "card.replaced": {
    ...toldCardFields,
    replaced_card_id: propertiesOf(replaceCard).replaced_card_id as TSchema,
  },
  "card.blocked": toldCardFields,
  "card.issued": {
    location_id: fields.locationId,
    ...Type.Omit(issueCard.output as TObject, ["card_code", "created_at"]).properties,
  },
  "card.claimed": propertiesOf(claimCard),
  "wallet.lapsed": { amount: fields.amount, valid_through: validThrough, balances },
  "tier.upgraded": tier,
  "tier.renewed": tier,
  "tier.downgraded": tier,
  "tier.expiring": {
    valid_through: validThrough,
    members: Type.Array(
      Type.Object({
        contact_id: fields.contactId,
        tier_id: fields.tierId,
        since: tier.since,
        by_hand: tier.by_hand,
        sales_missing: fields.nullable(
          money("Net sales", 3000),
          "The net sales that renew the tier; 0 if it will be renewed, null if sales don't renew it.",
          3000,
        ),
        from: fields.nullable(
          keepingDays.from,
          "The first day on which a sale counts for this, or null.",
          "2026-11-30",
        ),
        until: fields.nullable(
          keepingDays.until,
          "The last day on which these sales renew it, or null.",
          "2026-12-31",
        ),
      }),
      { maxItems: 100, description: "The members whose tiers end on that day." },
    ),
  },
  "sandbox.clock_advanced": {
    from: { ...moment, description: "The time of the clock before." },
    to: { ...moment, description: "The time of the clock now." },
  },
  "webhook_endpoint.disabled": {
    endpoint_id: fields.identifier("The endpoint.", 7),
    disabled_reason: fields.choice(
      ["no_success", "gone", "secret_unreadable"],
      "Why: it had failed for five days, its receiver responded with 410, or LOYALTY_SECRET has changed.",
      "no_success",
    ),
  },
  "events.enabled": {},
};

const common = event.properties.data.properties;

export { event };

/** Each type of event, with the schema of its data. */
export const eventSchemas = eventNames.map((type) => {
  const data = Type.Object({ ...common, ...eventData[type] });
  return { type, description: eventMeanings[type], data };
});

/** An event that a test of an endpoint sends: the examples of the fields of a type. */
export function exampleEvent(type: string, timestamp: string): object {
  const schema = eventSchemas.find((one) => one.type === type);
  return { type, timestamp, data: exampleOfSchema(schema?.data ?? commonEventData) };
}

function exampleOfSchema(schema: TSchema): unknown {
  const {
    examples,
    properties,
    items,
    anyOf,
    const: value,
    enum: values,
  } = schema as Partial<Record<string, unknown>>;
  if (Array.isArray(examples)) return examples[0];
  if (value !== undefined) return value;
  if (Array.isArray(values)) return values[0];
  if (properties !== undefined) {
    const fields = Object.entries(properties as TProperties);
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOfSchema(field)]));
  }
  if (Array.isArray(anyOf)) return exampleOfSchema(anyOf[0] as TSchema);
  return items === undefined ? null : [exampleOfSchema(items as TSchema)];
}

/** The fields that the data of all events has. */
export const commonEventData = Type.Object(common);
