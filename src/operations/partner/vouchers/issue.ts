import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { vouchers } from "../../../database/catalog.ts";
import { isMoneyOnly } from "../../../domain/cards.ts";
import { decideIssue } from "../../../domain/engine/vouchers/voucher.ts";
import { accounts } from "../../../domain/ledger.ts";
import * as shared from "../../sales/sales.ts";

export const issueVoucher = postingOperation({
  path: "/sp/vouchers/issue",
  scope: "wa.vouchers.write",
  emits: "voucher.issued",
  needs: { balances: accounts, points: () => 0, vouchers: () => ({}) },
  summary: "Issue a voucher",
  message: "Voucher issued.",
  description:
    "Gives a member a voucher of a definition. The voucher keeps the value and the code that the definition has now. To sell " +
    "one for points, use /sp/reward-points/redeem.",
  operator: {
    role: "support",
    event: "voucher.issued",
    summary: "Issue a voucher to a member",
    description:
      "Gives a member a voucher of a definition. The voucher keeps the value and the code that the definition has now. The reason " +
      "is stored in the ledger and in the audit log. To sell one for points, use /op/reward-points/redeem.",
  },
  input: {
    contact_id: fields.contactId,
    voucher_id: fields.voucherId,
    location_id: Type.Optional(fields.locationId),
    reference_id: Type.Optional(fields.referenceId),
    reason: Type.Optional(fields.reason),
  },
  output: Type.Object({
    held_voucher_id: fields.heldVoucherId,
    voucher_id: fields.voucherId,
    coupon_code: fields.couponCode,
    coupon_value: fields.couponValue,
    valid_through: shared.nullableDay("The last day on which it can be used; null if it does not lapse."),
    balance_after: shared.vouchersAfter,
  }),
  errors: [
    "member_not_found",
    "member_inactive",
    "gift_card_money_only",
    "voucher_not_found",
    "voucher_archived",
    "balance_limit_exceeded",
  ],
  async find({ services, caller, input: { contact_id, voucher_id } }) {
    const record = await vouchers.find(services.lookUps, caller.businessId, voucher_id);
    return { contact_id, location_id: record?.location_id, record };
  },
  decide({ input, member, record, reject, ...moment }) {
    if (member === undefined) return reject("member_not_found");
    if (isMoneyOnly(member)) return reject("gift_card_money_only");
    return record === undefined ? reject("voucher_not_found") : decideIssue(member, record, input, moment);
  },
});
