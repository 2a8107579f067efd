/** What the page of a member shows. All of it is also in responses of partners' operations. */
import type { ShownBusiness } from "../database/access/businesses.ts";
import type { Promotion } from "../domain/engine/rules.ts";

export interface MemberPage {
  readonly business: ShownBusiness;
  /** Empty for an anonymous card. */
  readonly first_name: string;
  /** The newest card that can be used: its code as people read it, and its pictures in SVG; null without one. */
  readonly card: { readonly code: string; readonly squares: string; readonly bars: string } | null;
  readonly balances: PageBalances;
  /** The last day of the money of a gift card; null: it does not lapse. */
  readonly wallet_valid_through: string | null;
  readonly progress: PageProgress;
  readonly vouchers: readonly PageVoucher[];
  readonly stamp_cards: readonly PageStampCard[];
  readonly promotions: readonly PagePromotion[];
  readonly movements: readonly PageMovement[];
  /** The wallets of phones for which there is a pass. */
  readonly wallets: readonly ("apple" | "google")[];
}

export interface PageBalances {
  readonly rp_name: string;
  readonly wallet: number;
  readonly points: number;
  readonly points_amount: number;
  readonly points_pending: readonly { readonly matures_on: string; readonly points: number }[];
  readonly points_expiring: readonly { readonly valid_through: string | null; readonly points: number }[];
}

export interface PageProgress {
  readonly tier: { readonly name: string; readonly valid_through: string } | null;
  readonly next_tier: {
    readonly name: string;
    readonly qualifying_sales: number;
    readonly sales_now: number;
    readonly sales_missing: number;
  } | null;
}

export interface PageVoucher {
  readonly campaign_name: string;
  readonly coupon_code: string;
  readonly coupon_value: number;
  readonly voucher_kind: string;
  readonly percent: number | null;
  readonly valid_through: string | null;
}

export interface PageStampCard {
  readonly name: string;
  readonly stamps: number;
  readonly stamps_needed: number;
  readonly campaign_name: string;
  /** Whether sales give stamps on it now. */
  readonly collects: boolean;
  readonly valid_through: string | null;
}

export interface PagePromotion
  extends Pick<
    Promotion,
    | ("name" | "last_day" | "weekdays" | "from_time" | "until_time" | "multiply" | "points" | "per")
    | ("skus" | "categories" | "minimum_amount" | "minimum_quantity")
  > {
  readonly gives_voucher: string | null;
  readonly gives_stamps: number | null;
  /** The names of its locations; empty: everywhere. */
  readonly locations: readonly string[];
}

/** Why a sale earned its points: each code has some of these values. */
export interface PageReason {
  readonly code: string;
  readonly points?: number;
  readonly base?: number;
  readonly units?: number;
  readonly earn_amount?: number | null;
  readonly name?: string;
  readonly amount?: number;
  readonly maximum?: number;
  readonly period?: "order" | "day" | "month";
}

export interface PageMovement {
  readonly event_type: string;
  /** What the event_type does not say: the money of a gift card expired, or another card was joined. */
  readonly kind?: "gift_lapsed" | "from_card";
  readonly amount: number;
  readonly created_at: string;
  /** Of points that a sale earned. */
  readonly why?: readonly PageReason[];
}

/** Finds the logo of a business by the token in its address. */
export type FindLogo = (token: string) => Promise<Buffer | undefined>;

/** Finds the page of an address. @returns undefined when the address has none, or has none any more; busy when it can be read later */
export type FindMemberPage = (token: string) => Promise<MemberPage | "busy" | undefined>;
