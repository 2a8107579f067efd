import { postingForOperators } from "../../for-operators.ts";
import { redeemPoints } from "../../partner/reward-points/redeem.ts";

export const redeemPointsForOperator = postingForOperators(redeemPoints, {
  path: "/op/reward-points/redeem",
  role: "support",
  event: "reward_points.redeemed",
  summary: "Redeem points of a member",
  description:
    "Spends points without a sale: on a voucher with a price in points, or on something else, such as a gift. The reason is " +
    "stored in the ledger and in the audit log.",
});
