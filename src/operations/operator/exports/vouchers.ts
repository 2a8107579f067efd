import { fields } from "../../../contract/declare.ts";
import { exportVouchers } from "../../../database/engine/vouchers.ts";
import { exportedVoucher, exportOperation } from "../../exports.ts";

export const exportVouchersOperation = exportOperation({
  rows: "vouchers",
  noun: "vouchers",
  summary: "Export vouchers that members hold",
  description:
    "Returns the vouchers that the members of a business can still use, in the order in which they were issued, some " +
    "thousand at a time. Repeat the request with next_after_held_voucher_id as after_held_voucher_id until it is null.",
  message: "Vouchers exported.",
  row: exportedVoucher,
  key: "held_voucher_id",
  keySchema: fields.heldVoucherId,
  read: exportVouchers,
});
