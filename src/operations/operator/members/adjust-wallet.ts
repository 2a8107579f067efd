import { postingForOperators } from "../../for-operators.ts";
import { adjustWallet } from "../../partner/wallet/adjust.ts";

export const adjustWalletForOperator = postingForOperators(adjustWallet, {
  path: "/op/members/adjust-wallet",
  role: "support",
  event: "member.wallet_adjusted",
  withoutLocation: true,
  summary: "Correct a member's wallet",
  description:
    "Credits or debits a member's wallet by hand, with the same effect as an adjustment by a partner, and records the " +
    "reason in the ledger and in the audit log.",
});
