import { postingForOperators } from "../../for-operators.ts";
import { reverseMovement } from "../../partner/wallet/reverse.ts";

export const reverseMovementForOperator = postingForOperators(reverseMovement, {
  path: "/op/wallet/reverse",
  role: "support",
  undoes: true,
  event: "wallet.reversed",
  summary: "Reverse a top-up or a payment",
  description:
    "Reverses a top-up, with its bonus, or a payment from the wallet, at its location. It reverses all of it or nothing, so a " +
    "top-up that was spent in part can't be reversed. The reason is stored in the ledger and in the audit log.",
});
