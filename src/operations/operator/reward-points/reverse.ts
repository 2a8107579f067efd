import { postingForOperators } from "../../for-operators.ts";
import { reverseRedemption } from "../../partner/reward-points/reverse.ts";

export const reverseRedemptionForOperator = postingForOperators(reverseRedemption, {
  path: "/op/reward-points/reverse",
  role: "support",
  undoes: true,
  event: "reward_points.restored",
  summary: "Reverse a redemption of points",
  description:
    "Gives back the points that a redemption spent. Points that have expired meanwhile are valid for some more days, as the " +
    "business's rules say. A voucher that was bought is taken back, unless it was used.",
});
