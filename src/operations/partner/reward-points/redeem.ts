import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { vouchers } from "../../../database/catalog.ts";
import { decideRedeem } from "../../../domain/engine/redemption.ts";
import type { VoucherDefinition } from "../../../domain/engine/rules.ts";
import { accounts } from "../../../domain/ledger.ts";
import * as shared from "../../sales/sales.ts";

export const redeemPoints = postingOperation({
  path: "/sp/reward-points/redeem",
  scope: "wa.sales.write",
  emits: "reward_points.redeemed",
  needs: {
    balances: accounts,
    points: ({ points }: { points?: number }, bought: VoucherDefinition | undefined) =>
      points ?? bought?.points_price ?? 0,
    vouchers: () => ({}),
  },
  summary: "Redeem reward points",
  message: "Reward points redeemed.",
  description:
    "Spends points without a sale: on a voucher with a price in points, or on something else, such as a gift. To pay a part " +
    "of a sale, send use_points when you record it.",
  operator: {
    role: "support",
    event: "reward_points.redeemed",
    summary: "Redeem points of a member",
    description:
      "Spends points without a sale: on a voucher with a price in points, or on something else, such as a gift. The reason is " +
      "stored in the ledger and in the audit log.",
  },
  input: {
    contact_id: fields.contactId,
    points: Type.Optional(fields.points),
    voucher_id: Type.Optional(fields.voucherId),
    location_id: Type.Optional(fields.locationId),
    reason: Type.Optional(fields.reason),
    reference_id: Type.Optional(fields.referenceId),
  },
  exactlyOneOf: ["points", "voucher_id"],
  output: Type.Object({
    redemption_id: fields.redemptionId,
    points: fields.points,
    held_voucher_id: fields.nullable(
      fields.heldVoucherId,
      "The voucher that was bought; null without one.",
      null,
    ),
    valid_through: shared.nullableDay(
      "The last day on which the voucher can be used; null without one, or if it does not lapse.",
    ),
    balances: shared.balances,
  }),
  errors: [
    "member_not_found",
    "member_inactive",
    "rewards_disabled",
    "redemption_not_allowed",
    "insufficient_balance",
    "balance_limit_exceeded",
    "voucher_not_found",
    "voucher_archived",
    "voucher_not_usable",
  ],
  async find({ services, caller, input: { contact_id, voucher_id } }) {
    if (voucher_id === undefined) return { contact_id };
    const record = await vouchers.find(services.lookUps, caller.businessId, voucher_id);
    return { contact_id, location_id: record?.location_id, record };
  },
  decide({ input, member, record, rules, reject, ...moment }) {
    if (member === undefined) return reject("member_not_found");
    if (input.voucher_id !== undefined && record === undefined) return reject("voucher_not_found");
    return decideRedeem(member, input, record, rules, moment);
  },
});
