import { unlessArchivedAreIncluded, vouchers } from "../../../records.ts";

export const listVoucherDefinitions = vouchers.list({
  path: "/sp/vouchers/definitions/list",
  scope: "wa.vouchers.read",
  summary: "List voucher definitions",
  message: "Voucher definitions listed.",
  description:
    "Lists the voucher definitions of the business, newest first. An integration limited to some locations sees those " +
    "of these locations and those without a location, which are valid everywhere.",
  unless: unlessArchivedAreIncluded,
});
