import { atLocation, changesOf, nullableLocationId, voucherFields, vouchers } from "../../records.ts";

export const updateVoucherOperation = vouchers.update({
  path: "/op/vouchers/update",
  event: "voucher.updated",
  summary: "Update a voucher",
  description:
    "Changes a voucher definition. What is omitted stays; without a location it is usable at every one.",
  message: "Voucher updated.",
  ...atLocation,
  input: changesOf({ ...voucherFields, location_id: nullableLocationId }),
});
