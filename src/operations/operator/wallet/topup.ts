import { postingForOperators } from "../../for-operators.ts";
import { topUpWallet } from "../../partner/wallet/topup.ts";

export const topUpWalletForOperator = postingForOperators(topUpWallet, {
  path: "/op/wallet/topup",
  role: "support",
  event: "wallet.topped_up",
  summary: "Top up a member's wallet",
  description:
    "Adds money to a wallet: by a top-up benefit, which may add a bonus and is sold at its own location, or by an amount without a " +
    "bonus. The reason is stored in the ledger and in the audit log.",
});
