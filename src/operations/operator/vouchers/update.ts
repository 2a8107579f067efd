import {
  changesOf,
  nullableLocationId,
  ofVoucher,
  voucherFields,
  voucherRuleFields,
  vouchers,
} from "../../records.ts";

export const updateVoucherOperation = vouchers.update({
  path: "/op/vouchers/update",
  role: "manager",
  event: "voucher.updated",
  summary: "Update a voucher",
  message: "Voucher updated.",
  description:
    "Changes a voucher definition. Fields that you omit don't change. With location_id null, the voucher is valid at " +
    "all locations. With another kind, what only the former one has is cleared. Vouchers that members hold stay as they are.",
  ...ofVoucher,
  input: changesOf({ ...voucherFields, ...voucherRuleFields, location_id: nullableLocationId }),
});
