import { exportVouchers } from "../../../database/engine/rewards/vouchers.ts";
import { exportedVoucher, exportOperation } from "../../exports.ts";
import { showTerms } from "../../vouchers/voucher-definitions.ts";

export const exportVouchersOperation = exportOperation({
  rows: "vouchers",
  noun: "vouchers",
  returns:
    "the vouchers that the members of a business can still use, in the order in which they were issued",
  row: exportedVoucher,
  key: "held_voucher_id",
  read: async (sql, business, page) =>
    (await exportVouchers(sql, business, page)).map(({ terms, ...row }) => ({ ...row, ...showTerms(terms) })),
});
