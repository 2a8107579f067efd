import {
  type FieldError,
  fieldError,
  fields,
  postingOperation,
  Rejection,
  Type,
  wrongValue,
} from "../../../contract/declare.ts";
import { stampCards, vouchers } from "../../../database/catalog.ts";
import { isMoneyOnly } from "../../../domain/cards.ts";
import { decideStamping } from "../../../domain/engine/stamps/by-hand.ts";
import { mostStampsOfSale } from "../../../domain/engine/stamps/counting.ts";
import { accounts } from "../../../domain/ledger.ts";
import { cardText, stampsChange, stampsNeeded, stampsNow, stampsOwedNow } from "../../promotions/stamps.ts";
import * as shared from "../../sales/sales.ts";

export const stampByHand = postingOperation({
  path: "/op/stamp-cards/stamp",
  role: "support",
  event: "member.stamped",
  emits: "stamp_card.stamped",
  needs: { balances: accounts, points: () => 0, vouchers: () => ({}), tier: true, stamps: true },
  summary: "Stamp a member's card by hand",
  message: "Card stamped.",
  description:
    "Adds stamps to a member's card, or takes some off. A full card gives its voucher. If a card is not full any more, its voucher is taken " +
    "back, unless the member has used it. The reason is stored in the ledger and in the audit log. Of the operator's limit in money, each stamp uses its " +
    "part of the voucher's value.",
  input: {
    business_id: fields.businessId,
    contact_id: fields.contactId,
    stamp_card_id: fields.stampCardId,
    stamps: fields.whole(
      -mostStampsOfSale,
      mostStampsOfSale,
      "The stamps to add; negative to take some off.",
      1,
    ),
    reason: fields.reason,
  },
  output: Type.Object({
    stamp_card_id: fields.stampCardId,
    change: stampsChange,
    stamps: stampsNow,
    stamps_needed: stampsNeeded,
    stamps_owed: stampsOwedNow,
    vouchers_granted: shared.saleResult.vouchers_granted,
    vouchers_taken: shared.vouchersTaken,
    text: cardText,
    balance_after: shared.vouchersAfter,
  }),
  check: ({ stamps }): FieldError[] =>
    stamps === 0 ? [fieldError("stamps", "out_of_range", "must not be 0: there is nothing to change")] : [],
  errors: [
    ...(["member_not_found", "member_inactive", "gift_card_money_only", "balance_limit_exceeded"] as const),
    ...(["stamp_card_not_found", "stamp_card_ended", "validation_failed"] as const),
  ],
  async find({ services: { lookUps }, caller: { businessId }, input: { contact_id, stamp_card_id } }) {
    const card = await stampCards.find(lookUps, businessId, stamp_card_id);
    const voucher = card && (await vouchers.find(lookUps, businessId, card.voucher_id));
    return { contact_id, record: card && voucher && { ...card, voucher } };
  },
  decide({ input, member, record, reject, ...moment }) {
    if (member === undefined) return reject("member_not_found");
    if (isMoneyOnly(member)) return reject("gift_card_money_only");
    if (record === undefined) return reject("stamp_card_not_found");
    if (record.status === "ended") return reject("stamp_card_ended");
    if (record.status !== "draft" && !record.voucher.archived) {
      const decided = decideStamping(member, record, input, moment);
      const owed = decided instanceof Rejection || input.stamps > 0 ? 0 : decided.data.stamps_owed;
      if (owed === 0) return decided;
      // Nobody buys to pay for a typing error.
      const most = Math.max(0, -input.stamps - owed);
      const errors = [
        fieldError("stamps", "out_of_range", `can take off at most ${most}: the member has no more`),
      ];
      return reject("validation_failed", { errors });
    }
    const problem = "must be a stamp card that is not a draft, and whose voucher is not archived";
    const errors = [wrongValue("stamp_card_id", problem)];
    return reject("validation_failed", { errors });
  },
});
