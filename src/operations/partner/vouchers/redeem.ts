import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { decideRedeemVoucher } from "../../../domain/engine/vouchers/use.ts";
import { accounts } from "../../../domain/ledger.ts";
import { nameKey } from "../../../domain/text.ts";
import * as shared from "../../sales/sales.ts";

interface Named {
  readonly held_voucher_id?: number;
  readonly coupon_code?: string;
}

export const redeemVoucher = postingOperation({
  path: "/sp/vouchers/redeem",
  scope: "wa.vouchers.write",
  emits: "voucher.redeemed",
  needs: {
    balances: accounts,
    points: () => 0,
    vouchers: ({ held_voucher_id: id, coupon_code: code }: Named) => ({
      ids: id === undefined ? [] : [id],
      code: code === undefined ? undefined : nameKey(code),
    }),
  },
  summary: "Redeem a voucher",
  message: "Voucher redeemed.",
  description:
    "Uses a voucher that the member holds, without a sale. A coupon_code names the voucher of this code that lapses first. To " +
    "pay a part of a sale, send use_vouchers when you record it.",
  operator: {
    role: "support",
    event: "voucher.redeemed",
    summary: "Redeem a voucher of a member",
    description:
      "Uses a voucher that the member holds, without a sale. A coupon_code names the voucher of this code that lapses first. The " +
      "reason is stored in the ledger and in the audit log.",
  },
  input: {
    contact_id: fields.contactId,
    location_id: fields.locationId,
    held_voucher_id: Type.Optional(fields.heldVoucherId),
    coupon_code: Type.Optional(fields.writtenCouponCode),
    reference_id: Type.Optional(fields.referenceId),
  },
  exactlyOneOf: ["held_voucher_id", "coupon_code"],
  output: Type.Object({
    held_voucher_id: fields.heldVoucherId,
    coupon_code: fields.couponCode,
    coupon_value: fields.couponValue,
    redeemed_at: fields.timestamp,
    balance_after: shared.vouchersAfter,
  }),
  errors: [
    "member_not_found",
    "member_inactive",
    "voucher_not_held",
    "voucher_not_usable",
    "sp_location_not_allowed",
    "validation_failed",
  ],
  decide: ({ input, member, reject, ...moment }) =>
    member === undefined ? reject("member_not_found") : decideRedeemVoucher(member, input, moment),
});
