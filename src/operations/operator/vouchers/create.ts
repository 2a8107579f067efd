import {
  atLocation,
  changesOf,
  checkValidity,
  nullableLocationId,
  voucherFields,
  voucherRuleFields,
  vouchers,
} from "../../records.ts";

export const createVoucher = vouchers.create(
  {
    path: "/op/vouchers/create",
    role: "manager",
    event: "voucher.created",
    summary: "Create a voucher",
    message: "Voucher created.",
    description:
      "Creates a voucher definition. If it belongs to a location, integrations that may not use that location can't get it.",
    ...atLocation,
    check: checkValidity,
    input: { ...voucherFields, ...changesOf({ ...voucherRuleFields, location_id: nullableLocationId }) },
  },
  { location_id: null, archived: false, points_price: null, validity: null, validity_period: null },
);
