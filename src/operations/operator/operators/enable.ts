import { setsEnabled } from "../../access/operators.ts";

export const enableOperator = setsEnabled(true, {
  path: "/op/operators/enable",
  role: "owner",
  sensitive: true,
  event: "operator_account.enabled",
  summary: "Enable an operator",
  message: "Operator enabled.",
  description: "Lets the person of a disabled account sign in again, with the earlier password.",
});
