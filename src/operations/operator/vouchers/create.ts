import { Type } from "../../../contract/declare.ts";
import { atLocation, nullableLocationId, voucherFields, vouchers } from "../../records.ts";

export const createVoucher = vouchers.create(
  {
    path: "/op/vouchers/create",
    event: "voucher.created",
    summary: "Create a voucher",
    description:
      "Creates a voucher definition. If it belongs to a location, integrations that may not use that location can't get it.",
    message: "Voucher created.",
    ...atLocation,
    input: { ...voucherFields, location_id: Type.Optional(nullableLocationId) },
  },
  { location_id: null, archived: false },
);
