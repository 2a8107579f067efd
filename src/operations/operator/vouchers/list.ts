import { fields, listOperation } from "../../../contract/declare.ts";
import { listVouchers } from "../../../database/catalog/vouchers.ts";
import { voucher } from "../../catalog-fields.ts";

export const listVouchersOperation = listOperation({
  path: "/op/vouchers/list",
  summary: "List vouchers",
  description: "The voucher definitions of a business, newest first.",
  message: "Vouchers listed.",
  input: {
    business_id: fields.businessId,
    include_archived: fields.option("Also archived vouchers."),
  },
  output: voucher,
  list: ({ sql, caller, input, page }) => listVouchers(sql, caller.businessId, input, page),
});
