import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { findRecordPlace } from "../../../database/engine/places.ts";
import { decideReverseMovement } from "../../../domain/engine/movement.ts";
import { money } from "../../amounts.ts";
import * as shared from "../../sales/sales.ts";

export const reverseMovement = postingOperation({
  path: "/sp/wallet/reverse",
  scope: "wa.wallet.write",
  emits: "wallet.reversed",
  needs: { balances: ["wallet"], named: ["movement"] },
  summary: "Reverse a top-up or a payment",
  description:
    "Reverses a top-up, with its bonus, or a payment from the wallet. It reverses all of it or nothing, so a top-up that was " +
    "spent in part can't be reversed. The till hands out money_back: the money of a top-up without its bonus.",
  operator: {
    role: "support",
    undoes: true,
    event: "wallet.reversed",
    description:
      "Reverses a top-up, with its bonus, or a payment from the wallet, at its location. It reverses all of it or nothing, so a " +
      "top-up that was spent in part can't be reversed. The reason is stored in the ledger and in the audit log.",
  },
  message: "Movement reversed.",
  input: {
    movement_id: fields.movementId,
    location_id: fields.locationId,
    reason: Type.Optional(fields.reason),
  },
  output: Type.Object({
    movement_id: fields.movementId,
    amount: fields.amount,
    promo_amount: money("The bonus that was taken back", 500),
    money_back: shared.moneyBack,
    member_erased: shared.memberErased,
    balance_after: fields.inMinorUnits(fields.balanceAfter),
  }),
  errors: [
    "movement_not_found",
    "already_reversed",
    "insufficient_balance",
    "balance_limit_exceeded",
    "sp_location_not_allowed",
  ],
  find: async ({ services, caller, input, reject }) =>
    (await findRecordPlace(services.lookUps, caller.businessId, "movement", input.movement_id)) ??
    reject("movement_not_found"),
  decide: ({ input, member, reject }) =>
    member?.movement === undefined
      ? reject("movement_not_found")
      : decideReverseMovement(member, member.movement, input),
});
