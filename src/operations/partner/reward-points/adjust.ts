import { fields, postingOperation, Refusal, Type } from "../../../contract/declare.ts";
import { trim } from "../../../domain/engine/lots.ts";
import { settle } from "../../../domain/engine/settle.ts";
import { move, signedAmount } from "../../../domain/ledger.ts";

export const adjustRewardPoints = postingOperation({
  path: "/sp/reward-points/adjust",
  scope: "wa.rewards.write",
  needs: ["engine"],
  summary: "Adjust a member's reward points",
  description:
    "Credits or debits a member's reward points and records a reward_points_adjustment in the ledger. A balance can't " +
    "go below zero.",
  message: "Reward points adjusted.",
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
  example: {
    contact_id: 100001,
    points: 120,
    adjustment_type: "credit",
    reason: "Goodwill after a late delivery",
  },
  errors: ["member_not_found", "member_inactive", "insufficient_balance", "balance_limit_exceeded"],
  decide({ input, member, today, fail }) {
    if (member === undefined) return fail("member_not_found");
    const { contact_id, points, adjustment_type, reason, reference_id } = input;
    const settled = settle(member.points, today);
    const amount = signedAmount(adjustment_type, points);
    const after = { active: member.active, balances: { points: settled.points.balance } };
    const balance_after = move(after, "points", amount);
    if (balance_after instanceof Refusal) return balance_after;
    return {
      settled: settled.entries,
      points: trim({ ...settled.points, balance: balance_after }),
      entries: [{ event_type: "reward_points_adjustment", amount, reference_id }],
      reason,
      data: { contact_id, points, adjustment_type, balance_after },
    };
  },
});
