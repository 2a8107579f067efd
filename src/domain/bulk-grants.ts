/** What an operator gives to many members at once, by a job. */
import type { VoucherDefinition } from "./engine/rules.ts";

/** cancelled, failed: it can be resumed, and goes on where it was. */
export const bulkGrantStates = ["running", "ended", "cancelled", "failed"] as const;
export type BulkGrantState = (typeof bulkGrantStates)[number];

/** What a voucher is worth. */
export type VoucherWorth = Pick<VoucherDefinition, "kind" | "coupon_value" | "percent" | "most_amount">;

export const worthOfVoucher = ({ kind, coupon_value, percent, most_amount }: VoucherWorth): VoucherWorth => ({
  kind,
  coupon_value,
  percent,
  most_amount,
});
