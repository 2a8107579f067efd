import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { benefits } from "../../../database/catalog.ts";
import { isMoneyOnly } from "../../../domain/cards.ts";
import { decideTopup } from "../../../domain/engine/movement.ts";
import { money } from "../../amounts.ts";
import * as shared from "../../sales/sales.ts";

export const topUpWallet = postingOperation({
  path: "/sp/wallet/topup",
  scope: "wa.wallet.write",
  emits: "wallet.topped_up",
  needs: { balances: ["wallet"] },
  summary: "Top up a member's wallet",
  description:
    "Adds money to a wallet: by a top-up benefit, which may add a bonus, or by an amount without a bonus. The amount and " +
    "the bonus are two entries of the type wallet_topup, with one reference. An amount that happens to equal a benefit's " +
    "gets no bonus: send the benefit_id.",
  operator: {
    role: "support",
    event: "wallet.topped_up",
    description:
      "Adds money to a wallet: by a top-up benefit, which may add a bonus and is sold at its own location, or by an amount without a " +
      "bonus. The reason is stored in the ledger and in the audit log.",
  },
  message: "Wallet topped up.",
  input: {
    contact_id: fields.contactId,
    location_id: fields.locationId,
    benefit_id: Type.Optional(fields.benefitId),
    amount: Type.Optional(fields.amount),
    reference_id: Type.Optional(fields.referenceId),
  },
  exactlyOneOf: ["amount", "benefit_id"],
  output: Type.Object({
    movement_id: fields.movementId,
    reference_id: shared.reference,
    amount: money("The amount that the member pays", 5000),
    promo_amount: money("The bonus", 500),
    balance_after: fields.inMinorUnits(fields.balanceAfter),
  }),
  errors: [
    "member_not_found",
    "member_inactive",
    "gift_card_money_only",
    "benefit_not_found",
    "benefit_inactive",
    "balance_limit_exceeded",
    "validation_failed",
  ],
  async find({ services, caller, input: { contact_id, benefit_id } }) {
    if (benefit_id === undefined) return { contact_id };
    const record = await benefits.find(services.lookUps, caller.businessId, benefit_id);
    return { contact_id, location_id: record?.location_id, record };
  },
  decide({ input, member, record, entryNo, reject }) {
    if (member === undefined) return reject("member_not_found");
    if (isMoneyOnly(member)) return reject("gift_card_money_only");
    if (input.benefit_id !== undefined && record === undefined) return reject("benefit_not_found");
    return decideTopup(member, input, record, entryNo);
  },
});
