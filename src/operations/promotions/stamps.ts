/** Fields of the stamps of members, which operations on sales and stamp cards share. */
import { fields, type Static, Type } from "../../contract/declare.ts";
import { mostSaleLines } from "../../domain/engine/lines.ts";
import { mostStampCards, mostStampsOfSale } from "../../domain/engine/stamps/counting.ts";
import { mostShownCharacters } from "../../domain/engine/till-texts.ts";
import type { SaleStamps } from "../../domain/records.ts";

export const cardName = fields.text(60, "The name of the stamp card.", "Coffee card");
export const stampsNeeded = fields.whole(
  2,
  100,
  "How many stamps fill the card: with 9, the tenth is free.",
  9,
);
export const cardText = fields.text(
  mostShownCharacters,
  "What a till can show, in English.",
  "2 stamps left for Free coffee",
);
export const stampsNow = fields.count("The stamps on the member's card that is not full.", 7);
export const stampsChange = Type.Integer({
  minimum: -1_000_000,
  maximum: 1_000_000,
  description: "The stamps that were added; negative: taken off.",
  examples: [2],
});
export const stampsOwedNow = fields.count(
  "The stamps that the member owes: a refund took them off, and the voucher of the card was used.",
  0,
);

const completed = fields.count("How often the sale fills the card. Each time, the member gets a voucher.", 0);

/** The cards of a sale. */
export const stampedCards = Type.Array(
  Type.Object({
    stamp_card_id: fields.stampCardId,
    name: cardName,
    stamps_added: fields.count("The stamps that the sale gives, with those of promotions.", 2),
    stamps: stampsNow,
    stamps_needed: stampsNeeded,
    stamps_owed: stampsOwedNow,
    completed,
    text: cardText,
  }),
  {
    maxItems: mostStampCards,
    description: "The stamp cards to which the sale adds stamps, and others on which the member has some.",
  },
);

/** What a refund takes off cards. */
export const stampsTaken = Type.Array(
  Type.Object({
    stamp_card_id: fields.stampCardId,
    taken: fields.count("The stamps that are taken off.", 2),
    stamps: stampsNow,
    stamps_owed: stampsOwedNow,
  }),
  {
    // Those of its stamps, and those of vouchers that come back.
    maxItems: mostStampCards,
    description: "The stamp cards from which the refund takes stamps off.",
  },
);

/** The stamps of a recorded sale. */
export const recordedStamps = Type.Array(
  Type.Object({
    stamp_card_id: fields.stampCardId,
    line_nos: Type.Array(fields.lineNo, {
      maxItems: mostSaleLines,
      description: "The lines on which it gave, by line_no. Empty: it gave for the sale as a whole.",
      examples: [[1, 3]],
    }),
    stamps_given: fields.whole(1, mostStampsOfSale, "The stamps that the sale gave.", 2),
    completed,
    stamps_left: fields.count("The part of these stamps that refunds have left.", 2),
  }),
  { maxItems: mostStampCards, description: "The stamps that the sale gave." },
);

export const showStamps = (stamps: readonly SaleStamps[] | null): Static<typeof recordedStamps> =>
  (stamps ?? []).map(({ stamp_card_id, own, added, held_voucher_ids, left }) => {
    const line_nos = [...(own?.lines ?? [])];
    return {
      stamp_card_id,
      line_nos,
      stamps_given: added,
      completed: held_voucher_ids.length,
      stamps_left: left,
    };
  });
