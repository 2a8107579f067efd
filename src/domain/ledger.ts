/**
 * The rules of the ledger. A member has four accounts; every entry moves exactly one of them by a signed
 * amount, and what an account may do is decided here and nowhere else.
 */

export const accounts = ["wallet", "points", "vouchers", "sales"] as const;
export type Account = (typeof accounts)[number];

/** Which account each kind of entry moves, and the prefix of its generated reference. */
export const eventTypes = {
  wallet_adjustment: { account: "wallet", prefix: "WA" },
  wallet_topup: { account: "wallet", prefix: "WT" },
  wallet_payment: { account: "wallet", prefix: "WP" },
  reward_points_adjustment: { account: "points", prefix: "PA" },
  reward_points_earned: { account: "points", prefix: "PE" },
  reward_points_redeemed: { account: "points", prefix: "PR" },
  reward_points_expired: { account: "points", prefix: "PX" },
  voucher_issued: { account: "vouchers", prefix: "VI" },
  voucher_redeemed: { account: "vouchers", prefix: "VR" },
  voucher_reversed: { account: "vouchers", prefix: "VV" },
  sale: { account: "sales", prefix: "SA" },
  sale_refund: { account: "sales", prefix: "SR" },
} as const satisfies Record<string, { account: Account; prefix: string }>;

export type EventType = keyof typeof eventTypes;
export const eventTypeNames = Object.keys(eventTypes) as EventType[];

/** The largest balance: every integer up to it is exact in JSON, JavaScript and PostgreSQL alike. */
export const balanceLimit = Number.MAX_SAFE_INTEGER;
/** The largest amount that one entry may move, in minor units or points. */
export const amountLimit = 1_000_000_000_000;

export const adjustmentTypes = ["credit", "debit"] as const;
export type AdjustmentType = (typeof adjustmentTypes)[number];

/** An account as the write path read it; `active` is false when its member is inactive. */
export interface AccountState {
  readonly balance: number;
  readonly active: boolean;
}

export type Movement =
  | { readonly status: "moved"; readonly balance: number }
  | { readonly status: "member_not_found" }
  | { readonly status: "member_inactive" }
  | { readonly status: "insufficient_balance"; readonly balance: number }
  | { readonly status: "balance_limit_exceeded"; readonly balance: number };

/**
 * Moves an account by a signed amount.
 * @param account the account as it stands, or undefined when no such member exists
 * @param amount signed, a non-zero safe integer
 * @returns the balance after the movement, or the first rule that forbids it
 */
export function move(account: AccountState | undefined, amount: number): Movement {
  if (account === undefined) return { status: "member_not_found" };
  if (!account.active) return { status: "member_inactive" };
  if (amount < 0 && account.balance < -amount) {
    return { status: "insufficient_balance", balance: account.balance };
  }
  // Subtract on the side that cannot overflow: balance + amount may leave the exact integers.
  if (amount > 0 && account.balance > balanceLimit - amount) {
    return { status: "balance_limit_exceeded", balance: account.balance };
  }
  return { status: "moved", balance: account.balance + amount };
}

/** The signed amount of an adjustment: a debit is negative. */
export function signedAmount(adjustmentType: AdjustmentType, amount: number): number {
  return adjustmentType === "debit" ? -amount : amount;
}

/**
 * The reference of an entry for which the caller gave none: readable, and unique in the business because
 * the entry's number is.
 */
export function generatedReference(eventType: EventType, entryNo: number): string {
  return `${eventTypes[eventType].prefix}-${entryNo}`;
}
