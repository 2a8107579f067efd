import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { decidePayment } from "../../../domain/engine/movement.ts";
import * as shared from "../../sales/sales.ts";

export const payFromWallet = postingOperation({
  path: "/sp/wallet/pay",
  scope: "wa.sales.write",
  emits: "wallet.paid",
  needs: { balances: ["wallet"] },
  summary: "Pay from a member's wallet",
  description:
    "Takes a payment that is no purchase from the wallet, such as a deposit or a locker. It earns nothing and counts for no " +
    "tier. A purchase is recorded with /sp/sales/record and use_wallet.",
  operator: {
    role: "support",
    event: "wallet.paid",
    description:
      "Takes a payment that is no purchase from the wallet, such as a deposit or a locker. It earns nothing and counts for no " +
      "tier. The reason is stored in the ledger and in the audit log.",
  },
  message: "Paid from the wallet.",
  input: {
    contact_id: fields.contactId,
    location_id: fields.locationId,
    amount: fields.amount,
    reason: Type.Optional(fields.reason),
    reference_id: Type.Optional(fields.referenceId),
  },
  output: Type.Object({
    movement_id: fields.movementId,
    reference_id: shared.reference,
    amount: fields.amount,
    balance_after: fields.inMinorUnits(fields.balanceAfter),
  }),
  errors: ["member_not_found", "member_inactive", "insufficient_balance"],
  decide: ({ input, member, entryNo, reject }) =>
    member === undefined ? reject("member_not_found") : decidePayment(member, input, entryNo),
});
