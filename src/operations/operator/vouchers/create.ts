import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { findMissingLocations, vouchers } from "../../../database/catalog.ts";
import { voucher, voucherFields } from "../../catalog-fields.ts";
import * as operator from "../../operator-fields.ts";

export const createVoucher = writeOperation({
  path: "/op/vouchers/create",
  event: "voucher.created",
  status: 201,
  summary: "Create a voucher",
  description:
    "Creates a voucher definition. One that belongs to a location is hidden from integrations that may not use " +
    "that location.",
  message: "Voucher created.",
  input: {
    business_id: fields.businessId,
    ...voucherFields,
    location_id: Type.Optional(operator.nullableLocationId),
  },
  output: voucher,
  errors: ["location_not_found"],
  async write({ input, tx, caller, audit, fail }) {
    const { campaign_name, coupon_code, coupon_value, location_id = null } = input;
    const locationIds = location_id === null ? [] : [location_id];
    const missing = await findMissingLocations(tx, caller.businessId, locationIds);
    if (missing.length > 0) return fail("location_not_found", { location_ids: missing });
    const voucher = { campaign_name, coupon_code, coupon_value, location_id, archived: false };
    const made = await vouchers.insert(tx, caller.businessId, voucher);
    audit({ before: null, after: made });
    return made;
  },
});
