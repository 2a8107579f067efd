import { postingForOperators } from "../../for-operators.ts";
import { adjustRewardPoints } from "../../partner/reward-points/adjust.ts";

export const adjustPointsForOperator = postingForOperators(adjustRewardPoints, {
  path: "/op/members/adjust-points",
  role: "support",
  event: "member.points_adjusted",
  summary: "Correct a member's reward points",
  description:
    "Credits or debits a member's reward points by hand, with the same effect as an adjustment by a partner, and " +
    "records the reason in the ledger and in the audit log.",
});
