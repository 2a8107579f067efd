/** The rules of a business: how many points sales earn, when points can be spent, what they are worth, and its tiers. */
import { addDays, addPeriod, endOfMonth, type PeriodUnit } from "../dates.ts";
import type { EarningRate, Lot } from "../records.ts";
import type { VoucherTerms } from "./vouchers/terms.ts";

/** What a program says about lines of receipts, in the words of the callers. */
export interface LineRules {
  /** Lines of these categories and articles earn nothing. */
  readonly excluded_categories: string[];
  readonly excluded_skus: string[];
  /** Points and vouchers can't pay lines of these categories. */
  readonly excluded_from_payment: string[];
  /** Lines that earn by other rates. Of those that match a line, the first counts. */
  readonly rates: ProgramRate[];
}

/** The rate of the lines that have one of some articles or categories. */
export interface ProgramRate {
  readonly skus?: string[];
  readonly categories?: string[];
  readonly earn_points: number;
  /** In minor units. */
  readonly earn_amount?: number;
  /** Instead of an amount: the points are for each unit of the quantity. */
  readonly earn_per?: "unit";
}

export const noLineRules: LineRules = {
  excluded_categories: [],
  excluded_skus: [],
  excluded_from_payment: [],
  rates: [],
};

/** The most points that a member earns; null: any number. */
export interface MemberLimits {
  readonly maximum_points_per_day: number | null;
  readonly maximum_points_per_month: number | null;
}

export const noMemberLimits: MemberLimits = { maximum_points_per_day: null, maximum_points_per_month: null };

export interface EarningProgram extends EarningRate, LineRules, MemberLimits {
  readonly program_id: number;
  readonly membership_name: string;
}

/** One version of a business's rules. A version never changes. */
export interface Rules {
  readonly version: number;
  readonly enable_rp: boolean;
  readonly rp_name: string;
  /** The program that members earn by if their tier has none; null: their sales earn nothing. */
  readonly program: EarningProgram | null;
  /** Whether the part of a sale that points paid for earns, too. */
  readonly earn_on: "paid" | "total";
  /** The number of points that are worth `value_amount`. */
  readonly value_points: number;
  /** In minor units; 0: points can't pay. */
  readonly value_amount: number;
  readonly redeem_minimum_points: number;
  /** How long points are valid; null: they don't expire. */
  readonly points_validity: number | null;
  readonly points_validity_period: PeriodUnit | null;
  readonly points_expiry_rounding: "day" | "month_end";
  /** How many days after the sale points can be spent. */
  readonly pending_days: number;
  /** What happens when a refund takes back more points than the member has. */
  readonly clawback_shortfall: "owe" | "forgive";
  /** How long expired points can be spent again after a refund has put them back. */
  readonly restored_points_valid_days: number;
  /** The period whose sales decide the tier of a member. */
  readonly rp_sales_calculation_period: number;
  readonly rp_sales_calculation_period_type: PeriodUnit;
  /** The tier of a member that no longer qualifies for its tier: the one that it qualifies for, or the next lower one. */
  readonly tier_downgrade: "to_qualified" | "one_step";
  /** How many days a member keeps its tier after it has ended. */
  readonly tier_grace_days: number;
  /** Whether the refund of a sale takes away the tier that was reached by it. */
  readonly tier_after_refund: "recalculate" | "keep";
  /** How many days before points, vouchers and tiers end an event says so; 0: there are no such events. */
  readonly expiring_notice_days: number;
  /** Whether the sales of anonymous cards earn points and stamps. */
  readonly anonymous_cards_earn: boolean;
  /** What a member who was brought must buy first, and keep so many days, in minor units. */
  readonly referral_minimum_amount: number;
  readonly referral_hold_days: number;
  /** How many members a member can bring in a year; null: any number. */
  readonly referral_most_per_year: number | null;
  /** How long the money of a gift card is valid; null: it does not lapse. */
  readonly gift_validity: number | null;
  readonly gift_validity_period: PeriodUnit | null;
  /** The most money on a new gift card, in minor units; null: any amount. */
  readonly gift_maximum_amount: number | null;
  readonly tiers: readonly Tier[];
  /** The active ones. */
  readonly promotions: readonly Promotion[];
  readonly stamp_cards: readonly StampCard[];
  readonly occasions: readonly Occasion[];
}

/** The occasions that members get something for on a day, and those that they get something for when they happen. */
export const dayKinds = ["birthday", "anniversary", "inactive"] as const;
const happeningKinds = ["joined", "tier_reached", "referred", "referrer"] as const;
export type HappeningKind = (typeof happeningKinds)[number];
export const occasionKinds = [...dayKinds, ...happeningKinds] as const;
export const allOccasionKinds = [...occasionKinds, "bulk"] as const;

/** What members get on days of their own, when they join, and when they reach a tier. */
export interface Occasion {
  readonly occasion_id: number;
  readonly name: string;
  /** A birthday, the day of the year on which a member joined, so many days after the last sale, the joining, a tier, a referral, or a bulk grant. */
  readonly kind: (typeof allOccasionKinds)[number];
  /** How long before the birthday members get it. */
  readonly days_before: number;
  /** Null for another kind. */
  readonly inactive_days: number | null;
  /** How long a member must have been one. */
  readonly minimum_membership_days: number;
  /** The days on which it gives something; null: open. */
  readonly first_day: string | null;
  readonly last_day: string | null;
  /** Null: it gives a voucher. */
  readonly points: number | null;
  /** How long the points are valid; null: they don't expire. */
  readonly validity: number | null;
  readonly validity_period: PeriodUnit | null;
  readonly voucher_id: number | null;
  /** The definition of this voucher; null: it gives points. */
  readonly voucher: VoucherDefinition | null;
}

/** A card that collects stamps of members: for so many, a member gets a voucher. In each list, none stands for all. */
export interface StampCard {
  readonly stamp_card_id: number;
  readonly name: string;
  readonly stamps_needed: number;
  readonly voucher_id: number;
  /** The definition of the voucher. */
  readonly voucher: VoucherDefinition;
  /** A stamp for each sale, or for each unit of its lines that count. */
  readonly counts: "visit" | "unit";
  /** How many sales of a member on a day give a stamp; null: any number. */
  readonly most_per_day: number | null;
  /** The lines that count have one of these articles or categories. */
  readonly skus: readonly string[];
  readonly categories: readonly string[];
  /** Whether lines without an amount count, too. */
  readonly counts_free_lines: boolean;
  /** Of these lines, without what vouchers paid, in minor units. */
  readonly minimum_amount: number;
  readonly location_ids: readonly number[];
  /** How long the stamps of a card are valid after its first one; null: they don't lapse. */
  readonly validity: number | null;
  readonly validity_period: PeriodUnit | null;
}

/** What sales earn besides the rate of the program, under conditions. In each list, none stands for all. */
export interface Promotion {
  readonly promotion_id: number;
  readonly name: string;
  /** The days on which it applies; null: open. */
  readonly first_day: string | null;
  readonly last_day: string | null;
  /** From 1, Monday, to 7, as in ISO 8601. */
  readonly weekdays: readonly number[];
  /** HH:MM, local time. At `until_time`, it is over. Both null: at any time. */
  readonly from_time: string | null;
  readonly until_time: string | null;
  readonly location_ids: readonly number[];
  readonly tier_ids: readonly number[];
  /** The lines that count have one of these articles or categories. */
  readonly skus: readonly string[];
  readonly categories: readonly string[];
  /** Of the amount that these lines earn on, in minor units, and of their quantity. */
  readonly minimum_amount: number;
  readonly minimum_quantity: number;
  /** The points of the program are multiplied by so many hundredths: 200 doubles them. Null: it gives `points`. */
  readonly multiply: number | null;
  readonly points: number | null;
  /** It gives a voucher instead. */
  readonly voucher_id: number | null;
  /** The definition of this voucher; null: it gives none. */
  readonly voucher: VoucherDefinition | null;
  /** It gives so many stamps on a stamp card instead. */
  readonly stamp_card_id: number | null;
  readonly stamps: number | null;
  /** Whether it gives the points once for each sale, or for each unit of the lines that count. */
  readonly per: "sale" | "unit";
  /** It takes part only if it gives more than all others together. */
  readonly exclusive: boolean;
  /**
   * Its members: all, those without another sale, those that joined or have bought nothing in the last `member_days`, or those
   * whose birthday is at most so many days away.
   */
  readonly member: MemberCondition;
  readonly member_days: number | null;
  /** How many sales of a member it gives something for, in all and on a day; null: any number. */
  readonly most_per_member: number | null;
  readonly most_per_member_day: number | null;
  /** The most points that it gives in all; null: any number. */
  readonly budget_points: number | null;
}

export const memberConditions = ["any", "first_sale", "new", "returning", "birthday"] as const;
export type MemberCondition = (typeof memberConditions)[number];

/** What a business issues vouchers of. */
export interface VoucherDefinition extends VoucherTerms {
  readonly voucher_id: number;
  readonly campaign_name: string;
  readonly coupon_code: string;
  /** In minor units; 0 for another kind than value. */
  readonly coupon_value: number;
  /** No longer issued. Vouchers that members hold stay good. */
  readonly archived: boolean;
  /** The only location where it can be used; null: anyLocation. */
  readonly location_id: number | null;
  /** The points for which members can buy it; null: it can't be bought. */
  readonly points_price: number | null;
  /** How long it is valid; null: it does not lapse. */
  readonly validity: number | null;
  readonly validity_period: PeriodUnit | null;
}

export interface Tier {
  readonly tier_id: number;
  readonly name: string;
  /** The net sales that a member needs for it; null: operators assign it by hand. */
  readonly qualifying_sales: number | null;
  /** How long it is valid. */
  readonly expiry: number;
  readonly expiry_period: PeriodUnit;
  /** The program by which its members earn; null: that of the rules. */
  readonly program: EarningProgram | null;
}

/** Rules without earning and spending, for a business that has recorded no rules. */
export const inertRules: Rules = {
  version: 0,
  enable_rp: false,
  rp_name: "Points",
  program: null,
  earn_on: "paid",
  value_points: 1,
  value_amount: 0,
  redeem_minimum_points: 0,
  points_validity: null,
  points_validity_period: null,
  points_expiry_rounding: "month_end",
  pending_days: 0,
  clawback_shortfall: "owe",
  restored_points_valid_days: 30,
  rp_sales_calculation_period: 12,
  rp_sales_calculation_period_type: "month",
  tier_downgrade: "to_qualified",
  tier_grace_days: 0,
  tier_after_refund: "recalculate",
  expiring_notice_days: 30,
  anonymous_cards_earn: true,
  referral_minimum_amount: 0,
  referral_hold_days: 14,
  referral_most_per_year: 10,
  gift_validity: null,
  gift_validity_period: null,
  gift_maximum_amount: null,
  tiers: [],
  promotions: [],
  stamp_cards: [],
  occasions: [],
};

/** The days on which the points of a sale mature and expire. The validity begins on the day on which they mature. */
export function pointsDates(rules: Rules, soldOn: string): Pick<Lot, "matures_on" | "expires_on"> {
  const matures_on = addDays(soldOn, rules.pending_days);
  if (rules.points_validity === null || rules.points_validity_period === null) {
    return { matures_on, expires_on: null };
  }
  const exact = addPeriod(matures_on, rules.points_validity, rules.points_validity_period);
  const validThrough = rules.points_expiry_rounding === "month_end" ? endOfMonth(exact) : exact;
  return { matures_on, expires_on: addDays(validThrough, 1) };
}

/** A proportional share, rounded down; 0 of nothing. A product that may not be an exact number is calculated with bigints. */
export function share(part: number, of: number, whole: number): number {
  const product = part * of;
  // A sale with promotions takes a third of the time with it.
  if (product <= Number.MAX_SAFE_INTEGER) return whole === 0 ? 0 : (product - (product % whole)) / whole;
  return whole === 0 ? 0 : Number((BigInt(part) * BigInt(of)) / BigInt(whole));
}

/**
 * The points that an amount earns at a rate, rounded down, up to the maximum of one order.
 * @param base the amount that earns, in minor units
 */
export function pointsFor(base: number, rate: EarningRate): number {
  if (base < rate.earn_minimum_amount) return 0;
  return Math.min(rate.maximum_points_per_order, share(base, rate.earn_points, rate.earn_amount));
}

/** Why no sale earns points. */
export type EarnsNothing = "rewards_off" | "no_program" | "program_without_rate";

/** What sales need to earn points: the settings, who sends them and from where, and whether one has earned. */
export interface EarningParts extends Pick<Rules, "enable_rp" | "program"> {
  readonly has_location: boolean;
  readonly has_integration: boolean;
  readonly has_earned: boolean;
}

/** What is missing until a sale has earned points, in the order in which people set it up. */
export const missingParts = [
  ...["no_location", "rewards_off", "no_program", "program_without_rate", "maximum_is_zero"],
  ...["no_integration", "no_sale"],
] as const satisfies readonly string[];

/** What is missing until a sale has earned points. */
export function missingOf({ has_location, has_integration, has_earned, ...rules }: EarningParts) {
  return [
    ...(has_location ? [] : (["no_location"] as const)),
    ...missingToEarn(rules),
    ...(has_integration ? [] : (["no_integration"] as const)),
    ...(has_earned ? [] : (["no_sale"] as const)),
  ];
}

type RatedProgram = Pick<EarningProgram, "earn_points" | "maximum_points_per_order" | "rates">;

/** Whether a program has no rate at all. */
const isWithoutRate = ({ earn_points, rates }: Pick<RatedProgram, "earn_points" | "rates">) =>
  earn_points === 0 && rates.length === 0;

/** What the rules lack before sales earn points; nothing if a sale that is large enough earns some. */
export function missingToEarn({ enable_rp, program }: { enable_rp: boolean; program: RatedProgram | null }) {
  const missing: (EarnsNothing | "maximum_is_zero")[] = [];
  if (!enable_rp) missing.push("rewards_off");
  if (program === null) missing.push("no_program");
  if (program !== null && isWithoutRate(program)) missing.push("program_without_rate");
  if (program?.maximum_points_per_order === 0) missing.push("maximum_is_zero");
  return missing;
}
