/** The fields of a preview of rules. */

import { fields, Type } from "../../contract/declare.ts";
import { mostAffected } from "../../domain/engine/preview.ts";
import { balanceLimit } from "../../domain/ledger.ts";
import { money, points } from "../amounts.ts";
import {
  changesOf,
  earningFields,
  newEarningFields,
  programFields,
  tierFields,
  tierRuleFields,
} from "../records.ts";
import { promotionName } from "../sales/sale-reasons.ts";

import { rewardSettings, ruleFields } from "./settings.ts";

const { maximum_points_per_order } = programFields;
export const programChange = Type.Object(
  { program_id: fields.programId, ...changesOf({ ...earningFields, maximum_points_per_order }) },
  { additionalProperties: false },
);
export const tierChange = Type.Object(
  {
    tier_id: fields.tierId,
    ...changesOf({
      ...tierRuleFields,
      expiry: tierFields.expiry,
      expiry_period: tierFields.expiry_period,
    }),
  },
  { additionalProperties: false },
);
/** Definitions that would be added, as the operations take them that create them. */
export const newProgram = Type.Object(
  { ...newEarningFields, maximum_points_per_order },
  {
    additionalProperties: false,
    description: "A program that would be added, as the default program. Without a rate, it earns nothing.",
  },
);
export const newTier = Type.Object(
  { ...tierFields, ...changesOf(tierRuleFields) },
  { additionalProperties: false },
);

/** The settings that change neither what a sale gives nor the tiers of members, so that a preview can't show what they do. */
type WithoutPreview =
  | "rp_name"
  | "redeem_minimum_points"
  | "points_validity"
  | "points_validity_period"
  | "points_expiry_rounding"
  | "pending_days"
  | "clawback_shortfall"
  | "restored_points_valid_days"
  | "tier_after_refund"
  | "expiring_notice_days"
  | "anonymous_cards_earn"
  | "referral_minimum_amount"
  | "referral_hold_days"
  | "referral_most_per_year"
  | "gift_validity"
  | "gift_validity_period"
  | "gift_maximum_amount";
type Setting = keyof typeof rewardSettings.properties | keyof typeof ruleFields;

/** The settings that decide what a sale gives, and the tiers of members. A new setting must be here, or named above. */
export const previewedSettings = changesOf({
  enable_rp: rewardSettings.properties.enable_rp,
  default_program_id: ruleFields.default_program_id,
  earn_on: ruleFields.earn_on,
  value_points: ruleFields.value_points,
  value_amount: ruleFields.value_amount,
  rp_sales_calculation_period: rewardSettings.properties.rp_sales_calculation_period,
  rp_sales_calculation_period_type: rewardSettings.properties.rp_sales_calculation_period_type,
  tier_downgrade: ruleFields.tier_downgrade,
  tier_grace_days: ruleFields.tier_grace_days,
} satisfies Record<Exclude<Setting, WithoutPreview>, unknown>);

const outcome = (whose: string, example: number) =>
  Type.Object(
    {
      points: points(`The points that the sales earn with ${whose}, less those of refunds.`, example),
      points_amount: money(
        `The worth of these points with ${whose}, rounded down to whole multiples of value_points`,
        6000,
      ),
      value_points: ruleFields.value_points,
      value_amount: ruleFields.value_amount,
      capped_sales: fields.count(
        "Sales that earn the maximum of an order, a day or a month, and would earn more without it.",
        4,
      ),
      points_over_maximum: points(
        "What these sales would earn above the maximum. Customers who split their purchases get at most this.",
        120,
      ),
      members_by_tier: Type.Array(
        Type.Object({
          tier_id: fields.nullable(
            fields.tierId,
            "The tier; null for one that would be added, and for members without one.",
          ),
          name: fields.nullable(fields.tierName, "Its name; null for members without a tier."),
          members: fields.count("The active members that have it at the end of the period.", 120),
        }),
        { maxItems: 10_000, description: "Empty if the business has no tiers, and none would be added." },
      ),
    },
    { description: `What ${whose} give.` },
  );

const affected = (which: string) =>
  Type.Array(
    Type.Object({
      contact_id: fields.contactId,
      sales: fields.count("The sales of the member.", 12),
      current_points: points("The member's points with today's rules.", 120),
      proposed_points: points("The member's points with the other rules.", 240),
      difference: fields.inPoints(fields.whole(-balanceLimit, balanceLimit, "The difference.", 120)),
    }),
    {
      maxItems: mostAffected,
      description: `The ${mostAffected} members ${which}, the largest differences first.`,
    },
  );

/** A preview of some members. */
export const previewPart = Type.Object({
  version: fields.whole(
    1,
    balanceLimit,
    "The version of today's rules. It is the same in all parts, unless somebody changes the rules.",
    3,
  ),
  members: fields.count("The active members of this part.", 5000),
  members_with_sales: fields.count("Members with sales in the period, active or not.", 1000),
  sales: fields.count("Their sales.", 12_083),
  amount: money("The amount of the sales, less refunds", 25_000_000),
  recorded_points: points(
    "The points that the sales earned by the rules of their day, less those of refunds.",
    120_000,
  ),
  current: outcome("today's rules", 120_000),
  proposed: outcome("the other rules", 240_000),
  gains: affected("who would get more points"),
  losses: affected("who would get fewer points"),
  new_promotions: Type.Array(
    Type.Object({
      name: promotionName,
      sales: fields.count("The sales for which it would have given points or a voucher.", 310),
      points: points("The points that it would have given, less those of refunds.", 2480),
      sales_without_lines: fields.count(
        "Sales that were recorded without lines, if it counts lines: it can't act on them.",
        45,
      ),
    }),
    { maxItems: 20, description: "What each of the new promotions would have cost." },
  ),
  next: fields.nullable(
    fields.contactId,
    "Send it as after to preview the next members; null at the end.",
    105_000,
  ),
});
