import { Type } from "../../../../contract/declare.ts";
import { pick, unlessArchivedAreIncluded, voucher, vouchers } from "../../../records.ts";
import { heldTermFields, showTerms } from "../../../vouchers/voucher-definitions.ts";

/** Who may use its public code, and how often, is a matter of the operator. */
const fieldsOfRecord = Type.Pick(voucher, [
  ...(["voucher_id", "campaign_name", "coupon_code", "coupon_value", "archived", "location_id"] as const),
  ...(["points_price", "validity", "validity_period"] as const),
]);
const definition = Type.Object({ ...fieldsOfRecord.properties, ...heldTermFields });

export const listVoucherDefinitions = vouchers.list({
  path: "/sp/vouchers/definitions/list",
  scope: "wa.vouchers.read",
  summary: "List voucher definitions",
  message: "Voucher definitions listed.",
  description:
    "Lists the voucher definitions of the business, newest first. An integration limited to some locations sees those " +
    "of these locations and those without a location, which are valid everywhere.",
  output: definition,
  show: (row) => ({ ...pick(row, fieldsOfRecord), ...showTerms(row) }),
  unless: unlessArchivedAreIncluded,
});
