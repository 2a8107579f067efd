import { listOperation } from "../../../contract/declare.ts";
import { listKeys } from "../../../database/access/operators.ts";
import { operatorKey, operatorOf } from "../../access/operators.ts";

export const listOperatorKeys = listOperation({
  path: "/op/operator-keys/list",
  role: "owner",
  summary: "List operator keys",
  message: "Operator keys listed.",
  description:
    "Lists the keys of scripts without their secrets, in the order in which they were created. If you are limited to some businesses, " +
    "you see only keys that are limited to these.",
  columns: ["key_id", "name", "role", "business_ids", "expires_at", "last_used_at"],
  input: {},
  output: operatorKey,
  list: ({ sql, caller, page }) => listKeys(sql, operatorOf(caller), page),
});
