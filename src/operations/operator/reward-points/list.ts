import { forOperators } from "../../for-operators.ts";
import { listPoints } from "../../partner/reward-points/list.ts";

export const listPointsForOperator = forOperators(listPoints, {
  path: "/op/reward-points/list",
  role: "viewer",
  summary: "List a member's points by sale",
  description:
    "Lists the sales that earned a member's points, newest first, with the days from which and until which the points can " +
    "be spent. Points that were credited by hand are in one row, which comes first.",
});
