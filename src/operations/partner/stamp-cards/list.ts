import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { type PresentStampCard, stampCards } from "../../../database/catalog.ts";
import { cardIn, cardValidThrough, stampsOwed } from "../../../domain/engine/stamps/cards.ts";
import { showCard } from "../../../domain/engine/stamps/sale.ts";
import { offsetOf, pageOf, readFor } from "../../../domain/pagination.ts";
import type { MemberStampCard } from "../../../domain/records.ts";
import { cardName, cardText, stampsNeeded, stampsNow, stampsOwedNow } from "../../promotions/stamps.ts";
import { isForOneOf } from "../../records.ts";
import { nullableDay } from "../../sales/sales.ts";

export const listStampCards = listOperation({
  path: "/sp/stamp-cards/list",
  scope: "wa.rewards.read",
  summary: "List a member's stamp cards",
  message: "Stamp cards listed.",
  description:
    "Lists the stamp cards that collect stamps now, in the order in which they were created, with the stamps of a member. A card that " +
    "collects none any more is listed if the member has stamps on it. An integration limited to some locations sees the cards of these.",
  operator: {
    path: "/op/stamp-cards/of-member",
    role: "viewer",
    description:
      "Lists the stamp cards that collect stamps now, in the order in which they were created, with the stamps of a member. A card that " +
      "collects none any more is listed if the member has stamps on it.",
  },
  columns: ["stamp_card_id", "name", "stamps", "stamps_needed", "valid_through", "times_full"],
  input: { contact_id: fields.contactId },
  output: Type.Object({
    stamp_card_id: fields.stampCardId,
    name: cardName,
    stamps: stampsNow,
    stamps_needed: stampsNeeded,
    stamps_owed: stampsOwedNow,
    begun_on: nullableDay("The day of the first stamp on the card that is not full; null without stamps."),
    valid_through: nullableDay("The last day of these stamps; null if they don't lapse."),
    times_full: fields.count("How often the member has filled the card, without what refunds undid.", 3),
    voucher_id: fields.voucherId,
    campaign_name: fields.campaignName,
    collects: Type.Boolean({
      description:
        "Whether sales give stamps on it now. Otherwise it is paused or has ended, or its voucher is archived.",
      examples: [true],
    }),
    text: cardText,
  }),
  errors: ["member_not_found"],
  async list({ sql, services, caller: { businessId, locations }, input, page, reject }) {
    const wanted = { businessId, contactId: input.contact_id };
    const member = await services.members.find(services.lookUps, wanted);
    if (member === undefined) return reject("member_not_found");
    const own = member.cards.filter(({ stamps }) => stamps !== 0);
    const ids = own.map(({ stamp_card_id }) => stamp_card_id);
    const all = await stampCards.present(sql, businessId, ids);
    const shown = all.filter((one) => {
      return (
        (collects(one) || ids.includes(one.stamp_card_id)) &&
        (locations.everywhere || isCardOf(one, locations.ids))
      );
    });
    const [last = 0] = page.after ?? [];
    const following = shown.filter(({ stamp_card_id: id }) => id > Number(last)).slice(offsetOf(page));
    const total = page.after === undefined ? shown.length : undefined;
    const listed = pageOf(page, following.slice(0, readFor(page)), total, (one) => [`${one.stamp_card_id}`]);
    return { ...listed, rows: listed.rows.map((one) => showRow(one, member.cards)) };
  },
});

const collects = ({ status, archived }: PresentStampCard) => status === "active" && !archived;

/** Whether a card collects stamps at one of some locations. */
const isCardOf = ({ location_ids, location_id }: PresentStampCard, ids: ReadonlySet<number>) =>
  (location_id === null || ids.has(location_id)) && isForOneOf(location_ids, ids);

function showRow(one: PresentStampCard, cards: readonly MemberStampCard[]) {
  const { stamp_card_id, name, stamps_needed, voucher_id, campaign_name } = one;
  const card = cardIn(cards, stamp_card_id);
  return {
    ...{
      stamp_card_id,
      name,
      stamps: Math.max(0, card.stamps),
      stamps_needed,
      stamps_owed: stampsOwed(card),
    },
    ...{ begun_on: card.begun_on, valid_through: cardValidThrough(card), times_full: card.completed },
    ...{ voucher_id, campaign_name, collects: collects(one), text: textOf(one, card) },
  };
}

function textOf(one: PresentStampCard, card: MemberStampCard): string {
  // What is owed stays, whatever becomes of the card.
  if (collects(one) || card.stamps < 0) return showCard({ ...one, voucher: one }, card, 0, 0).text;
  return one.status === "paused" ? "The card is paused." : "The card has ended.";
}
