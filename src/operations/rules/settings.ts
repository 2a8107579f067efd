/** The settings of a business for its points and tiers: the contract's reward settings, and the rules that operators set. */
import { fields, Type } from "../../contract/declare.ts";
import { missingParts } from "../../domain/engine/rules.ts";
import { amountLimit } from "../../domain/ledger.ts";
import { program } from "../records.ts";

/** The settings that partners and operators can change. */
export const rewardSettings = Type.Object({
  enable_rp: fields.enableRp,
  rp_name: fields.rpName,
  rp_sales_calculation_period: fields.whole(
    1,
    1200,
    "How far back purchases count for the tier of a member, as a number of periods.",
    12,
  ),
  rp_sales_calculation_period_type: { ...fields.periodUnit, description: "The unit of that period." },
});

/** The settings that only operators can change. */
export const ruleFields = {
  default_program_id: fields.nullable(
    fields.programId,
    "The program whose rate applies to sales. With null, sales earn nothing.",
  ),
  earn_on: fields.choice(
    ["paid", "total"],
    "paid: sales earn on the amount paid with money and wallet. total: also on the part that points paid.",
  ),
  value_points: fields.inPoints(
    fields.whole(1, 1_000_000, "The number of points that are worth value_amount.", 1),
  ),
  value_amount: fields.inMinorUnits(
    fields.whole(0, 1_000_000_000, "The value of value_points, in minor units. With 0, points can't pay.", 5),
  ),
  redeem_minimum_points: fields.inPoints(
    fields.whole(0, 1_000_000_000, "The smallest number of points that can be spent at once.", 0),
  ),
  points_validity: fields.nullable(
    fields.whole(1, 1200, "", 6),
    "The number of periods for which points are valid. With null, they never expire. Set it together with " +
      "points_validity_period.",
  ),
  points_validity_period: fields.nullable(
    fields.periodUnit,
    "The unit of points_validity; null if points never expire.",
  ),
  points_expiry_rounding: fields.choice(
    ["month_end", "day"],
    "Whether points are valid until the end of the month in which they would expire, or until the exact day.",
  ),
  pending_days: fields.whole(0, 365, "The number of days after the sale from which points can be spent.", 0),
  clawback_shortfall: fields.choice(
    ["owe", "forgive"],
    "What happens if a refund takes back more points than the member has: later points pay the debt, or it is forgiven.",
  ),
  restored_points_valid_days: fields.whole(
    0,
    365,
    "The number of days for which points are valid that a refund gives back after they have expired.",
    30,
  ),
  tier_downgrade: fields.choice(
    ["to_qualified", "one_step"],
    "The tier of a member that no longer qualifies when its tier ends: the one that it qualifies for, or the next lower one.",
  ),
  tier_grace_days: fields.whole(
    0,
    365,
    "The number of days for which a member keeps its tier after it has ended. If it qualifies again meanwhile, the tier is renewed.",
    0,
  ),
  tier_after_refund: fields.choice(
    ["recalculate", "keep"],
    "Whether a member loses a tier when the sale that reached it is refunded, or keeps it to its end.",
  ),
  expiring_notice_days: fields.whole(
    0,
    365,
    "How many days before the last day of points, vouchers and tiers an event announces their end. With 0, there are no such events.",
    30,
  ),
  anonymous_cards_earn: fields.flag("Whether sales with anonymous cards earn.", true),
  referral_minimum_amount: fields.inMinorUnits(
    fields.whole(
      0,
      amountLimit,
      "What the first sale of a member who was brought must reach, in minor units.",
      2000,
    ),
  ),
  referral_hold_days: fields.whole(
    0,
    365,
    "How many days after that sale both members get something, if enough of it was kept.",
    14,
  ),
  referral_most_per_year: fields.nullable(
    fields.whole(1, 10_000, "A number of members.", 10),
    "How many members a member can bring in a calendar year; null for any number.",
  ),
  gift_validity: fields.nullable(
    fields.whole(1, 1200, "", 5),
    "The number of periods for which the money of a new gift card is valid. With null, it never lapses. Set it together with " +
      "gift_validity_period.",
  ),
  gift_validity_period: fields.nullable(
    { ...fields.periodUnit, examples: ["year"] },
    "The unit of gift_validity; null if the money of gift cards never lapses.",
  ),
  gift_maximum_amount: fields.inMinorUnits(
    fields.nullable(
      fields.whole(1, amountLimit, "", 15_000),
      "The most money on a new gift card, with its bonus, in minor units; null for any amount.",
    ),
  ),
};

const { value_points, value_amount, redeem_minimum_points, pending_days } = ruleFields;
const { earn_on, points_validity, points_validity_period, points_expiry_rounding } = ruleFields;

/** What a till says about points: the settings, with the rate and the value that apply. */
export const applyingSettings = Type.Object({
  ...rewardSettings.properties,
  default_program: Type.Union([program, Type.Null()], {
    description:
      "The program by which members earn whose tier has none, with its rate; null: they earn nothing.",
  }),
  earn_on,
  value_points,
  value_amount,
  redeem_minimum_points,
  pending_days,
  points_validity,
  points_validity_period,
  points_expiry_rounding,
});

/** The rules in responses to the operator. */
export const rules = Type.Object({
  version: fields.whole(1, amountLimit, "The version of the rules. Each change increases it.", 3),
  ...ruleFields,
});

/** What sales of a business need to earn, as operators see it. */
export const earningState = Type.Object({
  missing: Type.Array(
    fields.choice(
      missingParts,
      "no_location: the business has no location. rewards_off: points are switched off. no_program: no program is the " +
        "default. program_without_rate: the default program earns nothing. maximum_is_zero: the default program allows 0 " +
        "points for each sale. no_integration: no enabled integration may record sales. no_sale: no sale has earned yet.",
    ),
    {
      maxItems: missingParts.length,
      description: "What is missing, in the order in which people set it up.",
      examples: [["no_sale"]],
    },
  ),
  program: fields.nullable(program, "The default program; null without one."),
});
