import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { decideRedeem } from "../../../domain/engine/exchange.ts";
import * as engine from "../../engine-fields.ts";
import { located, salesMember } from "../../sales.ts";

export const redeemPoints = postingOperation({
  path: "/sp/reward-points/redeem",
  scope: "wa.sales.write",
  needs: ["engine"],
  summary: "Redeem reward points",
  description:
    "Spends points without a sale, for a gift at the counter, say. To pay a part of a sale, send use_points when you record it.",
  message: "Reward points redeemed.",
  input: {
    contact_id: fields.contactId,
    points: fields.points,
    location_id: Type.Optional(fields.locationId),
    reason: Type.Optional(fields.reason),
    reference_id: Type.Optional(fields.referenceId),
  },
  output: Type.Object({
    redemption_id: fields.redemptionId,
    points: fields.points,
    balances: engine.balances,
  }),
  example: { contact_id: 100001, points: 20, reason: "A mug" },
  errors: [
    "member_not_found",
    "member_inactive",
    "rewards_disabled",
    "redemption_not_allowed",
    "insufficient_balance",
  ],
  decide({ input, member, rules, today, nextEntryNo, fail }) {
    if (member === undefined) return fail("member_not_found");
    const state = salesMember(member);
    const decision = decideRedeem(state, input, rules(), today, nextEntryNo);
    if (decision.status !== "redeemed") {
      const { status, ...details } = decision;
      return fail(status as Exclude<typeof status, "reversed">, details);
    }
    const { settled, points, redemption } = decision;
    return {
      settled,
      entries: located(decision.entries, input.location_id ?? null, input.reason),
      points,
      redemption: { ...redemption, location_id: input.location_id ?? null },
      data: {
        redemption_id: redemption.redemption_id,
        points: input.points,
        balances: { ...state.balances, points: points.balance },
      },
    };
  },
});
