/** What the model holds of a business. All of it is values: a change makes another business. */

export interface Member {
  readonly member_id: number;
  readonly contact_id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
  readonly email: string | null;
  readonly active: boolean;
  /** In which volley it was made. */
  readonly since: number;
}

export type Account = "wallet" | "points" | "sales";

/** In the order of recording: the place of an entry is its number. */
export interface Entry {
  readonly account: Account;
  readonly event_type: string;
  readonly contact_id: number;
  readonly amount: number;
  readonly balance_after: number;
  readonly location_id: number | null;
  /** Null where the service makes one. */
  readonly reference_id: string | null;
  /** As shown, or between which moments it was recorded, in milliseconds. */
  readonly at: string | readonly [from: number, to: number];
}

export interface Benefit {
  readonly benefit_id: number;
  readonly title: string;
  readonly amount: number;
  readonly promo_amount: number;
  readonly status: string;
  readonly location_id: number;
}

export interface Tier {
  readonly tier_id: number;
  readonly name: string;
  readonly expiry: number;
  readonly expiry_period: string;
}

export interface Program {
  readonly program_id: number;
  readonly membership_name: string;
  readonly maximum_points_per_order: number;
}

export interface Voucher {
  readonly voucher_id: number;
  readonly campaign_name: string;
  readonly coupon_code: string;
  readonly coupon_value: number;
  readonly archived: boolean;
  readonly location_id: number | null;
}

/** A write that succeeded under an idempotency key. */
export interface Written {
  readonly payload: string;
  readonly status: number;
  /** To the byte. */
  readonly body: string;
}

export interface Business {
  readonly businessId: number;
  readonly timeZone: string;
  readonly locationIds: readonly number[];
  /** In the order in which they were made. */
  readonly members: readonly Member[];
  readonly entries: readonly Entry[];
  readonly benefits: readonly Benefit[];
  /** In the order in which they were made. */
  readonly tiers: readonly Tier[];
  readonly programs: readonly Program[];
  readonly vouchers: readonly Voucher[];
  /** Those that an answer has shown. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** By integration and key. */
  readonly written: Readonly<Record<string, Written>>;
}

/** @returns the balance after all entries of a member's account */
export function balanceOf({ entries }: Business, contactId: number, account: Account): number {
  const last = entries.findLast((entry) => entry.contact_id === contactId && entry.account === account);
  return last?.balance_after ?? 0;
}
