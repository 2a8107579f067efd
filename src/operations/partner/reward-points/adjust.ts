import { fields, postingOperation, Rejection, Type } from "../../../contract/declare.ts";
import { isMoneyOnly } from "../../../domain/cards.ts";
import { debitByHand, pointsChanges, roomFor } from "../../../domain/engine/lots.ts";
import { move, signedAmount } from "../../../domain/ledger.ts";

export const adjustRewardPoints = postingOperation({
  path: "/sp/reward-points/adjust",
  scope: "wa.rewards.write",
  emits: "reward_points.adjusted",
  needs: {
    balances: ["points"],
    points: ({ points, adjustment_type }: { points: number; adjustment_type: string }) =>
      adjustment_type === "debit" ? points : 0,
  },
  summary: "Adjust a member's reward points",
  message: "Reward points adjusted.",
  description:
    "Credits or debits a member's reward points and records a reward_points_adjustment in the ledger. A balance can't " +
    "go below zero.",
  operator: {
    path: "/op/members/adjust-points",
    role: "support",
    event: "member.points_adjusted",
    summary: "Correct a member's reward points",
    description:
      "Credits or debits a member's reward points by hand, with the same effect as an adjustment by a partner, and " +
      "records the reason in the ledger and in the audit log.",
  },
  input: {
    contact_id: fields.contactId,
    points: fields.points,
    adjustment_type: fields.adjustmentType,
    reason: Type.Optional(fields.reason),
    reference_id: Type.Optional(fields.referenceId),
  },
  output: Type.Object({
    contact_id: fields.contactId,
    points: fields.points,
    adjustment_type: fields.adjustmentType,
    balance_after: fields.inPoints(fields.balanceAfter),
  }),
  errors: [
    "member_not_found",
    "member_inactive",
    "gift_card_money_only",
    "insufficient_balance",
    "balance_limit_exceeded",
  ],
  decide({ input, member, reject }) {
    const { contact_id, points, adjustment_type, reason, reference_id } = input;
    if (member && isMoneyOnly(member)) return reject("gift_card_money_only");
    const amount = signedAmount(adjustment_type, points);
    const balance_after = move(member, "points", amount);
    if (balance_after instanceof Rejection || member === undefined)
      return balance_after as Rejection<"member_not_found">;
    if (amount > roomFor(member.points)) {
      return reject("balance_limit_exceeded", { balance: member.points.balance });
    }
    const changes = amount < 0 ? pointsChanges(member.points, debitByHand(member.points, -amount)) : {};
    return {
      entries: [{ event_type: "reward_points_adjustment", amount }],
      reference_id,
      reason,
      changes,
      data: { contact_id, points, adjustment_type, balance_after },
    };
  },
});
