/** Shared by the operations on sales and points: from rows to decisions, and from decisions to responses. */

import { type Fail, type FieldError, fieldError, type Refusal } from "../contract/declare.ts";
import type { EntryDraft, PostingMember } from "../contract/operation.ts";
import type { MemberRow } from "../database/engine/members.ts";
import type { SaleDecision, SaleEntry, SaleRejection, SalesMember } from "../domain/engine/sale.ts";
import type { Account } from "../domain/ledger.ts";

/** The member as the engine's rules see it. */
export function salesMember({ active, balances, lots, debts }: PostingMember | MemberRow): SalesMember {
  const all = balances as Record<Account, number>;
  return { active, balances: all, points: { balance: all.points, lots, debts } };
}

/** No more can earn than was bought. */
export function checkSale(input: {
  readonly amount?: number | undefined;
  readonly eligible_amount?: number | undefined;
}): FieldError[] {
  const { amount, eligible_amount } = input;
  if (amount === undefined || eligible_amount === undefined || eligible_amount <= amount) return [];
  return [fieldError("eligible_amount", "out_of_range", "must not be more than amount")];
}

/** The errors of a sale, and of its quote. */
export const saleErrors = [
  "member_not_found",
  "member_inactive",
  "insufficient_balance",
  "balance_limit_exceeded",
  "rewards_disabled",
  "redemption_not_allowed",
  "validation_failed",
] as const;

/** A rejected sale as the response tells it. */
export function rejectSale(
  rejection: SaleRejection,
  fail: Fail<(typeof saleErrors)[number]>,
): Refusal<(typeof saleErrors)[number]> {
  const { status, ...details } = rejection;
  if (rejection.status !== "sold_on_out_of_range") {
    return fail(status as Exclude<typeof status, "sold_on_out_of_range">, details);
  }
  const problem = `must be a day from ${rejection.earliest} to ${rejection.latest}`;
  return fail("validation_failed", { errors: [fieldError("sold_on", "out_of_range", problem)] });
}

/** What a quote and a recorded sale both return. */
export function saleData({ sale, ...decision }: SaleDecision) {
  return {
    amount: sale.amount,
    points_used: sale.points_used,
    points_amount: sale.points_amount,
    wallet_used: sale.wallet_used,
    amount_due: sale.amount_due,
    points_earned: sale.points_earned,
    points_pending: decision.points_pending,
    matures_on: decision.matures_on,
    valid_through: decision.valid_through,
    points_settled: decision.points_settled,
    balances: decision.balances,
  };
}

/** Entries of a sale or refund, at its location. */
export function located(
  entries: readonly SaleEntry[],
  locationId: number | null,
  reason?: string | undefined,
): EntryDraft[] {
  return entries.map((entry) => ({ ...entry, location_id: locationId ?? undefined, reason }));
}
