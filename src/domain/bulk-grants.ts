/** What an operator gives to many members at once, by a job. */
import type { VoucherDefinition } from "./engine/rules.ts";
import type { VoucherTerms } from "./engine/vouchers/terms.ts";

/** cancelled, failed: it can be resumed, and goes on where it was. */
export const bulkGrantStates = ["running", "ended", "cancelled", "failed"] as const;
export type BulkGrantState = (typeof bulkGrantStates)[number];

/** Their numbers are stored with the job. */
export const mostBulkMembers = 1_000_000;

/** Why something can't be given to so many members; undefined if it can. */
export function problemOfNumber(members: number): string | undefined {
  if (members === 0)
    return "can't be given, because no active member was found: change the filters, and count with /op/bulk-grants/preview";
  if (members > mostBulkMembers)
    return "can't be given to more than 1,000,000 members at once: use filters, such as joined_from and joined_through";
  return undefined;
}

/** What members hold of a voucher: what it is worth, where and for which goods it can be used, and how long. */
export type CountedVoucher = VoucherTerms &
  Pick<VoucherDefinition, "coupon_value" | "location_id" | "validity" | "validity_period">;

export function countedVoucher(voucher: CountedVoucher): CountedVoucher {
  const { kind, coupon_value, percent, most_amount, skus, categories, minimum_amount } = voucher;
  const { location_id, validity, validity_period } = voucher;
  const terms = { kind, coupon_value, percent, most_amount, skus, categories, minimum_amount };
  return { ...terms, location_id, validity, validity_period };
}
