/** The records of the engine, by kind. Amounts of money are in minor units, days are YYYY-MM-DD. */
import type { VoucherTerms } from "./engine/vouchers/terms.ts";
import type { OccasionGrant } from "./occasion-grant.ts";

/** The points that a sale or an occasion gave. Some are left; the others were clawed back, used or expired. */
export interface Lot {
  /** The sale that earned them, or the ledger entry of an opening balance or an occasion. */
  readonly lot_id: number;
  /** The reference of that sale or entry. */
  readonly reference_id: string;
  /** The location of the sale; null for an opening balance or an occasion. */
  readonly location_id: number | null;
  /** Null: no occasion gave them. */
  readonly occasion_id: number | null;
  readonly earned_on: string;
  /** The first day on which they can be spent. It is the day of a refund that gave points back with another last day. */
  readonly matures_on: string;
  /** The day after the last one on which they can be spent; null: they don't expire. */
  readonly expires_on: string | null;
  /** Whether they are in the balance. */
  readonly matured: boolean;
  readonly points: number;
  readonly clawed: number;
  readonly used: number;
  readonly expired: number;
  /** The part of the expired points that expired on `expires_on`. A sale of an earlier day can still use them. */
  readonly lapsed: number;
}

/** Points that the refund of a sale could not take back. Points that the member gets later pay them. */
export interface Debt {
  readonly sale_id: number;
  readonly reference_id: string;
  /** The location of the sale. */
  readonly location_id: number;
  readonly owed: number;
}

/** Spent points of one lot. */
export interface Use {
  /** 0: points without a lot. */
  readonly lot_id: number;
  readonly points: number;
}

/** How a program turns an amount into points. A sale keeps the rate it was recorded with, for its refunds. */
export interface EarningRate {
  /** The points for each `earn_amount`. */
  readonly earn_points: number;
  /** In minor units. */
  readonly earn_amount: number;
  /** Below this amount, in minor units, a sale earns nothing. */
  readonly earn_minimum_amount: number;
  readonly maximum_points_per_order: number;
}

/** How a line turns its amount, or its quantity, into points, if not by the rate of the program. */
export interface LineRate {
  /** The points for each `earn_amount`. */
  readonly earn_points: number;
  /** In minor units; null: `earn_points` are for each unit of the quantity. */
  readonly earn_amount: number | null;
}

/** The maximum that allows a sale the fewest points: that of an order, or what is left of that of its member on a day or in a month. */
export interface PointsLimit {
  readonly period: "order" | "day" | "month";
  readonly maximum: number;
}

/** A line of a receipt. Its number is its place in the sale, from 1 on. */
export interface SaleLine {
  /** The caller's words for the article and its group. */
  readonly sku: string | null;
  readonly category: string | null;
  readonly quantity: number;
  readonly amount: number;
  /** Whether the program lets it earn. */
  readonly earns: boolean;
  /** The rate that the program has for it; undefined: that of the whole program. */
  readonly rate?: LineRate | undefined;
  /** What refunds had covered of the amount after the last one that named lines. */
  readonly covered: number;
  /** How much of the quantity came back. */
  readonly returned: number;
  /** How much of the quantity vouchers for an article paid. It is given, not bought. */
  readonly free: number;
}

/** What a promotion gave on a sale, and what a refund needs to know of it. */
export interface SaleGrant {
  readonly promotion_id: number;
  /** The numbers of the lines on which it gave; null: the whole sale, which was recorded without lines. */
  readonly lines: readonly number[] | null;
  /** The points that it gave. */
  readonly points: number;
  /** What refunds have left of them. It counts for the limits of the promotion, so it never exceeds what was given. */
  readonly left: number;
  /** As in the promotion. Null: it gives `fixed` points. */
  readonly multiply: number | null;
  readonly fixed: {
    readonly points: number;
    readonly per: "sale" | "unit";
    readonly minimum_amount: number;
    readonly minimum_quantity: number;
  } | null;
  /** The voucher that it gave besides no points; null: none. */
  readonly held_voucher_id: number | null;
  /** Whether refunds have left this voucher. */
  readonly keeps_voucher: boolean;
  /** Whether it was used before a refund would have taken it back. */
  readonly excuses_voucher: boolean;
  /** The stamps that it gave on a stamp card besides no points, and whether refunds have left them; null: none. */
  readonly stamp_card_id: number | null;
  readonly stamps: number;
  readonly keeps_stamps: boolean;
  /** Whether the promotion had limits for members, so that the sale counts for them. */
  readonly counts: boolean;
}

/** The stamps that a sale gave on a stamp card, and what a refund needs to know of them. */
export interface SaleStamps {
  readonly stamp_card_id: number;
  /** What the card counts; null: only promotions gave stamps on it. */
  readonly own: {
    readonly counts: "visit" | "unit";
    /** The numbers of the lines that count; null: the whole sale. */
    readonly lines: readonly number[] | null;
    readonly minimum_amount: number;
  } | null;
  /** With those of promotions. */
  readonly added: number;
  /** How many of them were on the card after the sale. The others are in vouchers, or paid for what was owed. */
  readonly on_card: number;
  /** The vouchers that it gave. */
  readonly held_voucher_ids: readonly number[];
  /** What refunds have left of them. */
  readonly left: number;
  /** The first day on which the card that the member had after the sale is no longer valid; null: it does not lapse. */
  readonly lapses_on: string | null;
}

/** What a refund gave back of a line. */
export interface RefundedLine {
  readonly line_no: number;
  /** Null: the refund named an amount. */
  readonly quantity_back: number | null;
  readonly amount: number;
}

/** A sale, with the payment and the rate of its points, which refunds need. */
export interface Sale extends EarningRate {
  /** The number of its first ledger entry. */
  readonly sale_id: number;
  readonly contact_id: number;
  readonly location_id: number;
  readonly reference_id: string;
  readonly sold_on: string;
  readonly amount: number;
  /** The part of the amount that could earn. */
  readonly eligible_amount: number;
  /** Null: it was recorded without lines. */
  readonly receipt_lines: readonly SaleLine[] | null;
  /** The vouchers that paid a part of it, and the amount that they paid. */
  readonly held_voucher_ids: readonly number[];
  readonly voucher_amount: number;
  readonly points_used: number;
  /** The amount that these points paid. */
  readonly points_amount: number;
  readonly wallet_used: number;
  /** The amount that the till took. */
  readonly amount_due: number;
  /** The amount that earned. */
  readonly earning_base: number;
  /** With those of promotions. */
  readonly points_earned: number;
  /** The time of the day, HH:MM, if the till said it. */
  readonly sold_at: string | null;
  /** Null: no promotion gave anything. */
  readonly grants: readonly SaleGrant[] | null;
  /** Null: its program limited only orders. Otherwise, `maximum_points_per_order` is what all limits together left for the sale. */
  readonly points_limit: PointsLimit | null;
  /** Null: it gave none. */
  readonly stamps: readonly SaleStamps[] | null;
  readonly rules_version: number;
  /** The part of the amount that was refunded so far. */
  readonly refunded: number;
  /** Points that refunds did not take back because they had expired before. */
  readonly points_excused: number;
  /** The lots of the points that paid and were not put back. */
  readonly uses: readonly Use[];
}

/** The amounts and points that a refund gives back, and what it did with the points that the sale had earned. */
export interface RefundParts {
  /** The amount that the till gives back. */
  readonly money_back: number;
  readonly wallet_back: number;
  /** Points that had paid. */
  readonly points_back: number;
  /** Earned points that were taken back. */
  readonly points_clawed: number;
  /** Earned points that had expired unused, so nothing was taken for them. */
  readonly points_excused: number;
  /** Earned points that the member had spent and owed after the refund. */
  readonly points_owed: number;
  /** Earned points that the member had spent and did not have to give back. */
  readonly points_forgiven: number;
  /** The vouchers that had paid a part of the sale: all of them with the last refund. */
  readonly vouchers_back: readonly number[];
  /** The vouchers that promotions had given for the sale: those that were taken back, and those that had been used. */
  readonly vouchers_taken: readonly number[];
  readonly vouchers_excused: readonly number[];
}

export interface Refund extends RefundParts {
  readonly sale_id: number;
  /** The total refunded of the sale, with this refund. */
  readonly refunded: number;
  readonly amount: number;
  /** Null: it was a refund of an amount of the whole sale. */
  readonly lines_back: readonly RefundedLine[] | null;
  readonly location_id: number;
  readonly reference_id: string;
  readonly reason: string | null;
}

/** Points that were spent without a sale, on a voucher or on something else. */
export interface Redemption {
  /** The number of its ledger entry. */
  readonly redemption_id: number;
  readonly contact_id: number;
  readonly location_id: number | null;
  readonly reference_id: string;
  readonly points: number;
  readonly reversed: boolean;
  /** The voucher that was bought; null without one. */
  readonly held_voucher_id: number | null;
  /** The lots of the points. */
  readonly uses: readonly Use[];
}

/** A top-up of the wallet, or a payment from it that is no sale. */
export interface Movement {
  /** The number of its first ledger entry. */
  readonly movement_id: number;
  readonly contact_id: number;
  readonly location_id: number;
  readonly reference_id: string;
  readonly kind: "topup" | "payment";
  /** The offer that was bought; null without one. */
  readonly benefit_id: number | null;
  readonly amount: number;
  /** The bonus. */
  readonly promo_amount: number;
  readonly reversed: boolean;
}

/** A voucher that was issued to a member. */
export interface HeldVoucher {
  readonly held_voucher_id: number;
  readonly contact_id: number;
  /** Its definition. The voucher keeps the code, the value and the location with which it was issued. */
  readonly voucher_id: number;
  readonly coupon_code: string;
  /** The form in which codes are compared: nameKey. */
  readonly coupon_key: string;
  readonly coupon_value: number;
  /** Null: it pays its value, in any sale. */
  readonly terms: VoucherTerms | null;
  readonly location_id: number | null;
  readonly reference_id: string;
  readonly issued_on: string;
  /** The day of its issue, or that on which a refund gave it back with another last day. */
  readonly valid_from: string;
  /** The first day on which it can no longer be used; null: it does not lapse. */
  readonly lapses_on: string | null;
  /** returned: it was given back with the points or the sale for which the member had got it. */
  readonly status: "held" | "redeemed" | "lapsed" | "returned";
  readonly redeemed_at: string | null;
  /** Whether the sale for which a promotion gave it was refunded after its use. It is not given back to the member. */
  readonly excused: boolean;
  /** The sale that it paid a part of, and the amount that it paid. */
  readonly sale_id: number | null;
  readonly covered: number | null;
  /** The redemption of points that bought it. */
  readonly redemption_id: number | null;
  /** The stamp card that gave it, and for how many stamps. Refunds lower those of a voucher that has lapsed. */
  readonly stamp_card_id: number | null;
  readonly stamps_used: number | null;
  /** The unique code that claimed it; 0: it was made and used by a public code; null: no code. */
  readonly code_id: number | null;
}

/** The net sales of a member on a day: sales on this day, without what was refunded of them. */
export interface SalesDay {
  readonly day: string;
  readonly net: number;
}

/** The sales of a member on a day at a location. */
export interface SalesOfDay extends SalesDay {
  /** 0 for sales that were imported without one. */
  readonly location_id: number;
  /** How many there were. Refunded ones count. */
  readonly sales: number;
}

/** How many sales of a member on a day a promotion gives points for. Refunds lower it. */
export interface GrantCount {
  readonly promotion_id: number;
  /** The day of the sales. */
  readonly day: string;
  readonly given: number;
}

/** The stamps of a member on a stamp card. */
export interface MemberStampCard {
  readonly stamp_card_id: number;
  /** Below 0: so many are owed for a voucher that was used. */
  readonly stamps: number;
  /** The day of the first stamp on the card that is not full; null: it has none. */
  readonly begun_on: string | null;
  /** The first day on which these stamps are no longer valid; null: they don't lapse. */
  readonly lapses_on: string | null;
  /** How many vouchers it has given, without those that were taken back. */
  readonly completed: number;
  /** The sum of what operators added and took off. The erasure of the member does so, too. */
  readonly by_hand: number;
  /** How many stamps lapsed and were not excused by a refund. */
  readonly lapsed: number;
  /** How many sales of each of the last days gave a stamp, if their number is limited. */
  readonly visits: readonly { readonly day: string; readonly given: number }[];
}

/** The net sales that reached a tier: at least `sales`, from the day after `after` through `on`. */
export interface TierBasis {
  readonly after: string;
  readonly on: string;
  readonly sales: number;
}

/** A tier that a member has or was promised, and until when. */
export interface PromisedTier {
  readonly tier_id: number;
  /** The day on which it was reached. */
  readonly since: string;
  /** The first day on which it is no longer valid unless it is renewed. */
  readonly until: string;
  /** `until`, or the day after the days of grace once they have begun. */
  readonly ends_on: string;
  readonly by_hand: boolean;
  /** The sale by which it was reached, until it is renewed. */
  readonly cause_sale_id: number | null;
  /** Null: it rests on no sales. An operator assigned it, or it was imported. */
  readonly rests_on: TierBasis | null;
}

/** The tier that a member has, and what it was promised besides. The first fields are those of the tier. */
export interface TierStanding {
  /** Null: the member has lost its tier. */
  readonly tier_id: number | null;
  /** The day on which it was reached or lost. */
  readonly since: string;
  readonly until: string | null;
  readonly ends_on: string | null;
  readonly by_hand: boolean;
  readonly cause_sale_id: number | null;
  readonly rests_on: TierBasis | null;
  /** The tiers that come back when this one ends, as long as they are valid; and the one that this one renewed. */
  readonly promised: readonly PromisedTier[];
  /** The tiers before refunds took some away, the one that the member had first. The next refund is computed from them. */
  readonly before_refunds: readonly PromisedTier[];
}

/** All kinds of records. The compiler requires the line of each in the table of kinds (database/engine/kinds.ts). */
export interface Records {
  readonly lot: Lot;
  readonly debt: Debt;
  readonly sale: Sale;
  readonly refund: Refund;
  readonly redemption: Redemption;
  readonly movement: Movement;
  readonly held_voucher: HeldVoucher;
  readonly sales_day: SalesOfDay;
  readonly grant_count: GrantCount;
  readonly occasion_grant: OccasionGrant;
  readonly member_stamp_card: MemberStampCard;
  readonly tier_standing: TierStanding;
}

export type Kind = keyof Records;

/** The kinds that follow from entries and sales. */
export type DerivedKind = "sales_day" | "grant_count";
export const isDerived = (kind: Kind): kind is DerivedKind => kind === "sales_day" || kind === "grant_count";

/** Records that a decision adds or changes, as they are afterwards. */
export type Changes = { readonly [Name in Exclude<Kind, DerivedKind>]?: readonly Records[Name][] };
