/** The records and settings that a business defines: tiers, programs, vouchers, top-up benefits, reward settings, rules. */
import { fields, type TProperties, Type } from "../contract/declare.ts";
import { amountLimit } from "../domain/ledger.ts";
import * as operator from "./operator-fields.ts";

/** The fields as an update takes them: each of them may be omitted, and stays then. */
export const changesOf = <Fields extends TProperties>(fields: Fields) =>
  Type.Partial(Type.Object(fields)).properties;

export const tierFields = {
  name: fields.tierName,
  expiry: fields.periodLength,
  expiry_period: fields.periodUnit,
};
/** A member tier. */
export const tier = Type.Object({ tier_id: fields.tierId, ...tierFields });

export const programFields = {
  membership_name: fields.membershipName,
  maximum_points_per_order: fields.maximumPointsPerOrder,
};
const earning = "So many points for each earn_amount; 0: the program earns nothing.";
const earningAmount = "The amount, in minor units, for which earn_points are earned.";
const earningMinimum = "Sales below this amount, in minor units, earn nothing.";
/** The rate by which a program earns. */
export const rateFields = {
  earn_points: fields.whole(0, 1000, earning, 1),
  earn_amount: fields.whole(1, 1_000_000_000, earningAmount, 100),
  earn_minimum_amount: fields.whole(0, amountLimit, earningMinimum, 0),
};
/** A reward program, as operators see it. */
export const program = Type.Object({ program_id: fields.programId, ...programFields, ...rateFields });

export const voucherFields = {
  campaign_name: fields.campaignName,
  coupon_code: fields.couponCode,
  coupon_value: fields.couponValue,
};
/** A voucher definition, as partners see it. */
export const partnerVoucher = Type.Object({
  voucher_id: fields.voucherId,
  ...voucherFields,
  archived: fields.archived,
});
/** A voucher definition, as operators see it. */
export const voucher = Type.Object({
  ...partnerVoucher.properties,
  location_id: operator.nullableLocationId,
});

/** What an update of a top-up benefit changes. */
export const benefitFields = {
  title: fields.title,
  promo_amount: fields.promoAmount,
  status: fields.benefitStatus,
};
/** A top-up benefit, as partners see it. */
export const partnerBenefit = Type.Object({
  benefit_id: fields.benefitId,
  title: fields.title,
  amount: fields.amount,
  promo_amount: fields.promoAmount,
  status: fields.benefitStatus,
});
/** A top-up benefit, as operators see it. */
export const topupBenefit = Type.Object({
  ...partnerBenefit.properties,
  location_id: operator.locationId,
});

export const rewardSettingsFields = {
  enable_rp: fields.enableRp,
  rp_name: fields.rpName,
  rp_sales_calculation_period: fields.periodLength,
  rp_sales_calculation_period_type: fields.periodUnit,
};
/** The one set of reward settings that every business has. */
export const rewardSettings = Type.Object(rewardSettingsFields);

const choice = <const Values extends string[]>(values: [...Values], description: string) =>
  Type.Enum(values, { description, examples: [values[0] as string] });

/** The rules of a business as its operator sets them. */
export const ruleFields = {
  default_program_id: fields.nullable(
    fields.programId,
    "The program by which members earn; null: sales earn nothing.",
    1,
  ),
  earn_on: choice(
    ["paid", "total"],
    "Whether a sale earns on what money and wallet paid, or also on what points paid.",
  ),
  value_points: fields.whole(1, 1_000_000, "So many points are worth value_amount.", 1),
  value_amount: fields.whole(
    0,
    1_000_000_000,
    "What value_points are worth, in minor units; 0: points can't pay.",
    5,
  ),
  redeem_minimum_points: fields.whole(0, 1_000_000_000, "The fewest points that can be spent at once.", 0),
  points_validity: fields.nullable(
    fields.whole(1, 1200, "", 6),
    "How many periods points are good for; null: they never expire. Set it together with its period.",
    6,
  ),
  points_validity_period: fields.nullable(
    fields.periodUnit,
    "The unit of points_validity; null when points never expire.",
    "month",
  ),
  points_expiry_rounding: choice(
    ["month_end", "day"],
    "Whether points are good to the end of the month in which they would expire, or to the day.",
  ),
  pending_days: fields.whole(0, 365, "How many days after the sale points can be spent.", 0),
  clawback_shortfall: choice(
    ["owe", "forgive"],
    "What happens when a refund takes back more points than the member has: later points pay it, or it is forgotten.",
  ),
  restored_points_valid_days: fields.whole(
    0,
    365,
    "How many days points are good that a refund gives back after their date has passed.",
    30,
  ),
};

/** The rules as the operator reads them. */
export const rules = Type.Object({
  version: fields.whole(1, amountLimit, "The version, which each change of the rules raises.", 3),
  ...ruleFields,
});
