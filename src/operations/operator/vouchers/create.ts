import { Type } from "../../../contract/declare.ts";
import { plainVoucher } from "../../../domain/engine/vouchers/terms.ts";
import {
  changesOf,
  nullableLocationId,
  ofVoucher,
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
      "Creates a voucher definition: a value, a share of a sale, or an article. If it belongs to a location, integrations that may not " +
      "use that location can't get it. With a public code, every member can use it in a sale.",
    ...ofVoucher,
    input: {
      ...voucherFields,
      coupon_value: Type.Optional(voucherFields.coupon_value),
      ...changesOf({ ...voucherRuleFields, location_id: nullableLocationId }),
    },
  },
  {
    ...plainVoucher,
    ...{ coupon_value: 0, location_id: null, archived: false },
    ...{ points_price: null, validity: null, validity_period: null },
  },
);
