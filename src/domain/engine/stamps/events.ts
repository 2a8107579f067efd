/** What the change of a card means, for events. */
import type { EventName } from "../../events.ts";
import type { HeldVoucher, MemberStampCard } from "../../records.ts";
import { newCard, stampsIn, stampsOwed } from "./cards.ts";

/** A card that a decision changes. */
export interface CardChange {
  /** Undefined for the first stamps of a member on the card. */
  readonly before: MemberStampCard | undefined;
  readonly after: MemberStampCard;
  /** The vouchers that it gave, and those that were taken back. */
  readonly issued: readonly HeldVoucher[];
  readonly returned: readonly HeldVoucher[];
}

interface CardEvent {
  readonly type: EventName;
  readonly data: object;
}

/** The events of a card that a decision changed: the stamps that were added or taken off, and then the vouchers of full cards. */
export function eventsOfCard(
  { before, after, issued, returned }: CardChange,
  sale_id: number | undefined,
): CardEvent[] {
  const { stamp_card_id } = after;
  const known = before ?? newCard(stamp_card_id);
  const stamps = Math.max(0, after.stamps);
  const change = after.stamps - known.stamps + stampsIn(issued) - stampsIn(returned);
  const of = sale_id === undefined ? { stamp_card_id } : { stamp_card_id, sale_id };
  const events: CardEvent[] = [];
  if (change !== 0 || returned.length > 0)
    events.push({
      type: "stamp_card.stamped",
      data: { ...of, change, stamps, stamps_owed: stampsOwed(after) },
    });
  const held_voucher_ids = issued.map(({ held_voucher_id }) => held_voucher_id);
  if (issued.length > 0)
    events.push({
      type: "stamp_card.completed",
      data: { ...of, completed: issued.length, stamps, held_voucher_ids },
    });
  return events;
}
