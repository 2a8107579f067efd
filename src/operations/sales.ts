/** Shared by the operations on sales. */
import { type FieldError, fieldError } from "../contract/declare.ts";

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
