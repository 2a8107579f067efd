import { fields, writeOperation } from "../../../contract/declare.ts";
import { findMissingLocations, vouchers } from "../../../database/catalog.ts";
import { changesOf, voucher, voucherFields } from "../../catalog-fields.ts";
import * as operator from "../../operator-fields.ts";

const changed = { ...voucherFields, location_id: operator.nullableLocationId };

export const updateVoucherOperation = writeOperation({
  path: "/op/vouchers/update",
  event: "voucher.updated",
  summary: "Update a voucher",
  description:
    "Changes a voucher definition. What is omitted stays; without a location it is usable at every one.",
  message: "Voucher updated.",
  input: {
    business_id: fields.businessId,
    voucher_id: fields.voucherId,
    ...changesOf(changed),
  },
  atLeastOne: true,
  output: voucher,
  errors: ["voucher_not_found", "location_not_found"],
  async write({ input: { business_id: _, voucher_id, ...change }, tx, caller, audit, fail }) {
    const before = await vouchers.lock(tx, caller.businessId, voucher_id);
    if (before === undefined) return fail("voucher_not_found");
    const after = { ...before, ...change };
    const locationIds = after.location_id === null ? [] : [after.location_id];
    const missing = await findMissingLocations(tx, caller.businessId, locationIds);
    if (missing.length > 0) return fail("location_not_found", { location_ids: missing });
    await vouchers.change(tx, caller.businessId, voucher_id, change);
    audit({ before, after });
    return after;
  },
});
