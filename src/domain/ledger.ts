/**
 * The rules of the ledger. A member has four accounts. Each entry changes one of them by a signed amount. All entries are checked
 * here, also those of the engine.
 */
import { reject } from "./rejection.ts";

export const accounts = ["wallet", "points", "vouchers", "sales"] as const;
export type Account = (typeof accounts)[number];

/** The account that each kind of entry changes, and the prefix of its generated reference. */
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

/** The largest balance. Every integer up to it is exact in JSON, JavaScript and PostgreSQL. */
export const balanceLimit = Number.MAX_SAFE_INTEGER;
/** The largest amount that a request may name, in minor units or points. */
export const amountLimit = 1_000_000_000_000;

export const adjustmentTypes = ["credit", "debit"] as const;
export type AdjustmentType = (typeof adjustmentTypes)[number];

/**
 * Changes one of a member's balances by a signed amount.
 * @param member under the ledger's lock; undefined when no such member exists
 * @param amount signed, a non-zero safe integer
 * @returns the balance afterwards, or a rejection
 * @throws when the account was not read
 */
export function move(
  member: { readonly active: boolean; readonly balances: Partial<Record<Account, number>> } | undefined,
  account: Account,
  amount: number,
) {
  if (member === undefined) return reject("member_not_found");
  if (!member.active) return reject("member_inactive");
  const balance = member.balances[account];
  if (balance === undefined) throw new Error(`the ${account} account was not read`);
  if (amount < 0 && balance < -amount) return reject("insufficient_balance", { balance });
  // The difference is always an exact integer. The sum may not be one.
  if (amount > 0 && balance > balanceLimit - amount) return reject("balance_limit_exceeded", { balance });
  return balance + amount;
}

/** The signed amount of an adjustment: a debit is negative. */
export function signedAmount(adjustmentType: AdjustmentType, amount: number): number {
  return adjustmentType === "debit" ? -amount : amount;
}

/** The reference of an entry for which the caller sent none. It is unique in the business, because the number is unique. */
export function generatedReference(eventType: EventType, entryNo: number): string {
  return `${eventTypes[eventType].prefix}-${entryNo}`;
}
