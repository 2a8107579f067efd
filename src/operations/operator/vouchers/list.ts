import { unlessArchivedAreIncluded, vouchers } from "../../records.ts";

export const listVouchers = vouchers.list({
  path: "/op/vouchers/list",
  role: "viewer",
  summary: "List vouchers",
  message: "Vouchers listed.",
  description: "Lists the voucher definitions of a business, newest first.",
  columns: ["voucher_id", "campaign_name", "coupon_code", "coupon_value", "points_price", "archived"],
  unless: unlessArchivedAreIncluded,
});
