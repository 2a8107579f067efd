import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { findMissingLocations } from "../../../database/access/locations.ts";
import { lockVoucher, updateVoucher } from "../../../database/catalog/vouchers.ts";
import { changesOf, namesOf, voucher, voucherFields } from "../../catalog-fields.ts";
import * as operator from "../../operator-fields.ts";

const changed = { ...voucherFields, location_id: operator.nullableLocationId };

export const updateVoucherOperation = writeOperation({
  path: "/op/vouchers/update",
  event: "voucher.updated",
  summary: "Update a voucher",
  description:
    "Changes a voucher definition. What is omitted stays; without a location it is usable at every one.",
  message: "Voucher updated.",
  input: Type.Object({
    business_id: fields.businessId,
    voucher_id: fields.voucherId,
    ...changesOf(changed),
  }),
  atLeastOneOf: namesOf(changed),
  output: voucher,
  errors: ["voucher_not_found", "location_not_found"],
  async write({ input, tx, caller, audit, fail }) {
    const before = await lockVoucher(tx, caller.businessId, input.voucher_id);
    if (before === undefined) return fail("voucher_not_found");
    const { location_id = before.location_id } = input;
    const locationIds = location_id === null ? [] : [location_id];
    const missing = await findMissingLocations(tx, caller.businessId, locationIds);
    if (missing.length > 0) return fail("location_not_found", { location_ids: missing });
    const after = {
      ...before,
      campaign_name: input.campaign_name ?? before.campaign_name,
      coupon_code: input.coupon_code ?? before.coupon_code,
      coupon_value: input.coupon_value ?? before.coupon_value,
      location_id,
    };
    await updateVoucher(tx, caller.businessId, after);
    audit({ before, after });
    return after;
  },
});
