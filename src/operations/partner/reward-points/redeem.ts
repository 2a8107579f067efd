import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { decideRedeem } from "../../../domain/engine/redemption.ts";
import { accounts } from "../../../domain/ledger.ts";
import * as shared from "../../sales.ts";

export const redeemPoints = postingOperation({
  path: "/sp/reward-points/redeem",
  scope: "wa.sales.write",
  needs: { balances: accounts, points: ({ points }: { points: number }) => points },
  summary: "Redeem reward points",
  description:
    "Spends points without a sale, such as for a gift. To pay a part of a sale, send use_points when you record it.",
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
    balances: shared.balances,
  }),
  errors: [
    "member_not_found",
    "member_inactive",
    "rewards_disabled",
    "redemption_not_allowed",
    "insufficient_balance",
  ],
  decide: ({ input, member, rules, entryNo, fail }) =>
    member === undefined ? fail("member_not_found") : decideRedeem(member, input, rules, entryNo),
});
