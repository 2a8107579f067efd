import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { findRecordPlace } from "../../../database/engine/places.ts";
import { decideReverse } from "../../../domain/engine/redemption.ts";
import { accounts } from "../../../domain/ledger.ts";
import * as shared from "../../sales/sales.ts";

export const reverseRedemption = postingOperation({
  path: "/sp/reward-points/reverse",
  scope: "wa.sales.write",
  emits: "reward_points.restored",
  needs: { balances: accounts, points: () => 0, vouchers: () => ({}), named: ["redemption"] },
  summary: "Reverse a redemption of reward points",
  description:
    "Gives back the points that a redemption spent, to the sales from which they came. Points that have expired " +
    "meanwhile are valid for some more days, as the business's rules say. A voucher that was bought is taken back, unless it " +
    "was used.",
  operator: {
    role: "support",
    undoes: true,
    event: "reward_points.restored",
    summary: "Reverse a redemption of points",
    description:
      "Gives back the points that a redemption spent. Points that have expired meanwhile are valid for some more days, as the " +
      "business's rules say. A voucher that was bought is taken back, unless it was used.",
  },
  message: "Redemption reversed.",
  input: { redemption_id: fields.redemptionId, reason: Type.Optional(fields.reason) },
  output: Type.Object({
    redemption_id: fields.redemptionId,
    points_back: shared.pointsBack,
    member_erased: shared.memberErased,
    balances: shared.balances,
  }),
  errors: [
    "redemption_not_found",
    "already_reversed",
    "balance_limit_exceeded",
    "voucher_not_usable",
    "sp_location_not_allowed",
  ],
  find: async ({ services, caller, input, reject }) =>
    (await findRecordPlace(services.lookUps, caller.businessId, "redemption", input.redemption_id)) ??
    reject("redemption_not_found"),
  decide: ({ input, member, rules, reject, ...moment }) =>
    member?.redemption === undefined
      ? reject("redemption_not_found")
      : decideReverse(member, member.redemption, input, rules, moment),
});
