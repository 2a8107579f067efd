import { postingForOperators } from "../../for-operators.ts";
import { payFromWallet } from "../../partner/wallet/pay.ts";

export const payFromWalletForOperator = postingForOperators(payFromWallet, {
  path: "/op/wallet/pay",
  role: "support",
  event: "wallet.paid",
  summary: "Pay from a member's wallet",
  description:
    "Takes a payment that is no purchase from the wallet, such as a deposit or a locker. It earns nothing and counts for no " +
    "tier. The reason is stored in the ledger and in the audit log.",
});
