import { fields, postingOperation, Rejection, Type } from "../../../contract/declare.ts";
import { findRecordPlace } from "../../../database/engine/places.ts";
import { payOwedStamps } from "../../../domain/engine/stamps/sale.ts";
import { decideReverseVoucher } from "../../../domain/engine/vouchers/use.ts";
import { allOf } from "../../../pipeline/postings/internal-commands.ts";
import * as shared from "../../sales/sales.ts";

export const reverseVoucher = postingOperation({
  path: "/sp/vouchers/reverse",
  scope: "wa.vouchers.write",
  emits: "voucher.reversed",
  needs: { ...allOf, named: ["held_voucher"] },
  summary: "Reverse the redemption of a voucher",
  description:
    "Gives a member back a voucher that was redeemed without a sale. If its date has passed meanwhile, it is valid for some " +
    "more days, as the business's rules say of points. A voucher that paid a part of a sale comes back with the sale's refund. " +
    "A stamp card takes it back at once if the member owes stamps for it.",
  operator: {
    role: "support",
    undoes: true,
    event: "voucher.reversed",
    description:
      "Gives a member back a voucher that was redeemed without a sale. If its date has passed meanwhile, it is valid for some " +
      "more days, as the business's rules say of points. A voucher that paid a part of a sale comes back with the sale's refund: " +
      "use /op/sales/refund. A stamp card takes it back at once if the member owes stamps for it.",
  },
  message: "Voucher given back.",
  input: { held_voucher_id: fields.heldVoucherId, reason: Type.Optional(fields.reason) },
  output: Type.Object({
    held_voucher_id: fields.heldVoucherId,
    coupon_value: fields.couponValue,
    member_erased: shared.memberErased,
    vouchers_taken: shared.vouchersTaken,
    balance_after: shared.vouchersAfter,
  }),
  errors: ["voucher_not_held", "voucher_not_usable", "balance_limit_exceeded", "sp_location_not_allowed"],
  find: async ({ services, caller, input, reject }) =>
    (await findRecordPlace(services.lookUps, caller.businessId, "held_voucher", input.held_voucher_id)) ??
    reject("voucher_not_held"),
  decide({ input, member, rules, today, reject }) {
    if (member === undefined) return reject("voucher_not_held");
    const { restored_points_valid_days: days } = rules;
    const decision = decideReverseVoucher(member, input.held_voucher_id, input, today, days);
    return decision instanceof Rejection ? decision : payOwedStamps(decision, member.cards, rules);
  },
});
