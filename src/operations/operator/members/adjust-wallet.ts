import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import type { PostingOperation } from "../../../contract/operation.ts";
import { adjustWallet } from "../../partner/wallet/adjust.ts";

/** The partners' operation, for an operator: without a location, with a reason, and in the audit log. */
export const adjustWalletForOperator: PostingOperation = {
  ...adjustWallet,
  path: "/op/members/adjust-wallet",
  scope: "operator",
  event: "member.wallet_adjusted",
  summary: "Correct a member's wallet",
  description:
    "Credits or debits a member's wallet by hand, with the same effect as an adjustment by a partner, and records the " +
    "reason in the ledger and in the audit log.",
  input: Type.Object({
    business_id: fields.businessId,
    contact_id: fields.contactId,
    amount: fields.amount,
    adjustment_type: fields.adjustmentType,
    reason: fields.reason,
  }),
};
