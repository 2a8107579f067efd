/** What the page of a member shows. All of it is also in responses of partners' operations. */
export interface MemberPage {
  readonly business: {
    readonly name: string;
    readonly color: string | null;
    readonly country: string | null;
    readonly time_zone: string;
    readonly currency: string;
    readonly currency_decimals: number;
  };
  /** Empty for an anonymous card. */
  readonly first_name: string;
  /** The newest card that can be used: its code as people read it, and its pictures in SVG; null without one. */
  readonly card: { readonly code: string; readonly squares: string; readonly bars: string } | null;
  readonly balances: PageBalances;
  readonly progress: PageProgress;
  readonly vouchers: readonly PageVoucher[];
  readonly stamp_cards: readonly PageStampCard[];
  readonly promotions: readonly { readonly name: string; readonly last_day: string | null }[];
  readonly movements: readonly PageMovement[];
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
  readonly valid_through: string | null;
}

export interface PageMovement {
  readonly event_type: string;
  readonly amount: number;
  readonly created_at: string;
}

/** Finds the page of an address. @returns undefined when the address has none, or has none any more */
export type FindMemberPage = (token: string) => Promise<MemberPage | undefined>;
