import { fields, postingOperation, Rejection, Type } from "../../../contract/declare.ts";
import { move, signedAmount } from "../../../domain/ledger.ts";

export const adjustWallet = postingOperation({
  path: "/sp/wallet/adjust",
  scope: "wa.wallet.write",
  emits: "wallet.adjusted",
  needs: { balances: ["wallet"] },
  summary: "Adjust a member's wallet balance",
  description:
    "Credits or debits a member's wallet and records a wallet_adjustment in the ledger. A balance can't go below zero.",
  operator: {
    path: "/op/members/adjust-wallet",
    role: "support",
    event: "member.wallet_adjusted",
    withoutLocation: true,
    summary: "Correct a member's wallet",
    description:
      "Credits or debits a member's wallet by hand, with the same effect as an adjustment by a partner, and records the " +
      "reason in the ledger and in the audit log.",
  },
  message: "Wallet adjusted.",
  input: {
    contact_id: fields.contactId,
    location_id: fields.locationId,
    amount: fields.amount,
    adjustment_type: fields.adjustmentType,
    reason: Type.Optional(fields.reason),
  },
  output: Type.Object({
    contact_id: fields.contactId,
    amount: fields.amount,
    adjustment_type: fields.adjustmentType,
    balance_after: fields.inMinorUnits(fields.balanceAfter),
  }),
  errors: ["member_not_found", "member_inactive", "insufficient_balance", "balance_limit_exceeded"],
  decide({ input, member }) {
    const { contact_id, location_id, adjustment_type, reason } = input;
    const amount = signedAmount(adjustment_type, input.amount);
    const balance_after = move(member, "wallet", amount);
    if (balance_after instanceof Rejection) return balance_after;
    return {
      entries: [{ event_type: "wallet_adjustment", amount }],
      reference_id: undefined,
      location_id,
      reason,
      data: { contact_id, amount: input.amount, adjustment_type, balance_after },
    };
  },
});
