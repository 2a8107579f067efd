import { forOperators } from "../../for-operators.ts";
import { getBalances } from "../../partner/members/balances.ts";

export const getBalancesForOperator = forOperators(getBalances, {
  path: "/op/members/balances",
  role: "viewer",
  summary: "Get a member's balances",
  description:
    "Returns the balances of a member: money, points by the last day on which they can be spent, points that can't be " +
    "spent yet, and points that the member owes.",
});
