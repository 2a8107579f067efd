/** Stamps that an operator adds to a card of a member, or takes off. */
import type { Member, Moment, StampHolder } from "../../decision.ts";
import { Rejection, reject } from "../../rejection.ts";
import { showGranted } from "../promotions/vouchers.ts";
import type { StampCard } from "../rules.ts";
import { totalValue, valueEntry, worthAtMost } from "../vouchers/voucher.ts";
import { addStamps, cardIn, payWithVouchers, setStamps, stampsOwed } from "./cards.ts";
import { fullCards, returnVouchers, showCard } from "./sale.ts";

/** What stamps are worth: each its part of what the voucher pays at most. */
const stampsWorth = ({ stamps_needed, voucher }: StampCard, stamps: number) =>
  Math.ceil((Math.abs(stamps) * worthAtMost(voucher)) / stamps_needed);

/**
 * Decides a change by hand.
 * @param definition of a card that is not a draft
 */
export function decideStamping(
  member: Member & StampHolder,
  definition: StampCard,
  { contact_id, stamps: change, reason }: { contact_id: number; stamps: number; reason?: string | undefined },
  { today, voucherNo }: Pick<Moment, "today" | "voucherNo">,
) {
  if (!member.active) return reject("member_inactive");
  const { stamp_card_id, stamps_needed } = definition;
  const known = cardIn(member.cards, stamp_card_id);
  const before = { ...known, by_hand: known.by_hand + change };
  const added = change > 0 ? addStamps(before, change, definition, today) : undefined;
  const times = added?.times ?? 0;
  const { vouchers: balance } = member.balances;
  const issued = fullCards(definition, times, { contact_id }, balance, { today, voucherNo });
  if (issued instanceof Rejection) return issued;
  const paid = payWithVouchers(
    added?.card ?? setStamps(before, before.stamps + change),
    member.vouchers,
    definition,
  );
  const { changed, taken, valued } = returnVouchers(paid.changes);
  return {
    entries: [
      ...valued.flatMap((one) => valueEntry("voucher_issued", one, -1)),
      ...issued.flatMap((one) => valueEntry("voucher_issued", one, 1)),
    ],
    reference_id: `SC-${stamp_card_id}`,
    location_id: null,
    reason,
    corrected: Math.max(stampsWorth(definition, change), totalValue(issued) + totalValue(valued)),
    changes: { member_stamp_card: [paid.card], held_voucher: [...changed, ...issued] },
    data: {
      stamp_card_id,
      change,
      stamps: Math.max(0, paid.card.stamps),
      stamps_needed,
      stamps_owed: stampsOwed(paid.card),
      vouchers_granted: issued.map(showGranted),
      vouchers_taken: taken.map(({ held_voucher_id }) => held_voucher_id),
      text: showCard(definition, paid.card, change, times).text,
      balance_after: balance + totalValue(issued) - totalValue(valued),
    },
  };
}
