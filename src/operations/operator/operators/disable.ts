import { setsEnabled } from "../../access/operators.ts";

export const disableOperator = setsEnabled(false, {
  path: "/op/operators/disable",
  role: "owner",
  sensitive: true,
  event: "operator_account.disabled",
  summary: "Disable an operator",
  message: "Operator disabled.",
  description:
    "Ends the sessions of an account within five seconds. Its person can't sign in until you enable the account again.",
  confirm: "The person can't sign in until you enable the account again.",
});
