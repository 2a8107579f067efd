import { fields, listOperation } from "../../../contract/declare.ts";
import { notArchived, vouchers } from "../../../database/catalog.ts";
import { voucher } from "../../records.ts";

export const listVouchers = listOperation({
  path: "/op/vouchers/list",
  summary: "List vouchers",
  description: "Lists the voucher definitions of a business, newest first.",
  message: "Vouchers listed.",
  input: {
    business_id: fields.businessId,
    include_archived: fields.option("Whether to include archived vouchers."),
  },
  output: voucher,
  list: ({ sql, caller, input, page }) =>
    vouchers.page(sql, caller.businessId, page, input.include_archived ? undefined : notArchived),
});
