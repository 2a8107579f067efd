import { listOperation } from "../../../contract/declare.ts";
import { listAccounts } from "../../../database/access/operators.ts";
import { account, operatorOf } from "../../access/operators.ts";

export const listOperators = listOperation({
  path: "/op/operators/list",
  role: "owner",
  summary: "List operators",
  message: "Operators listed.",
  description:
    "Lists the accounts of operators, in the order in which they were created. If you are limited to some businesses, you see only " +
    "accounts that are limited to these.",
  columns: [
    "operator_id",
    "name",
    "role",
    "business_ids",
    "limit_amount",
    "limit_points",
    "status",
    "last_seen_at",
  ],
  input: {},
  output: account,
  list: ({ sql, caller, page }) => listAccounts(sql, operatorOf(caller), page),
});
