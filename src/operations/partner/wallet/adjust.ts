import { fields, postingOperation, Rejection, Type } from "../../../contract/declare.ts";
import { isMoneyOnly } from "../../../domain/cards.ts";
import { move, signedAmount } from "../../../domain/ledger.ts";

export const adjustWallet = postingOperation({
  path: "/sp/wallet/adjust",
  scope: "wa.wallet.write",
  emits: "wallet.adjusted",
  needs: { balances: ["wallet"] },
  summary: "Adjust a member's wallet balance",
  description:
    "Credits or debits a member's wallet and records a wallet_adjustment in the ledger. A balance can't go below zero. A gift card can't be " +
    "credited.",
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
  errors: [
    "member_not_found",
    "member_inactive",
    "gift_card_money_only",
    "insufficient_balance",
    "balance_limit_exceeded",
  ],
  decide({ input, member, reject }) {
    const { contact_id, location_id, adjustment_type, reason } = input;
    const amount = signedAmount(adjustment_type, input.amount);
    if (amount > 0 && member && isMoneyOnly(member)) return reject("gift_card_money_only");
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
