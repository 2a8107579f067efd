import { unlessArchivedAreIncluded, vouchers } from "../../records.ts";

export const listVouchers = vouchers.list({
  path: "/op/vouchers/list",
  summary: "List vouchers",
  description: "Lists the voucher definitions of a business, newest first.",
  message: "Vouchers listed.",
  unless: unlessArchivedAreIncluded,
});
