import { Rejection, readOperation, Type } from "../../../contract/declare.ts";
import { findCard } from "../../../database/members/cards.ts";
import { addDays } from "../../../domain/dates.ts";
import { card, giftValidThrough, lookUpCard, rejectUnusable, writtenCardCode } from "../../members/cards.ts";
import { balances } from "../../sales/sales.ts";

const { card_id, contact_id, kind } = card.properties;

export const getCardBalance = readOperation({
  path: "/sp/cards/balance",
  scope: "wa.wallet.read",
  summary: "Get the balances of a card",
  message: "Balances found.",
  description:
    "Returns what is on a card, such as what is left on an anonymous one: the balances of its member, without the name.",
  input: { card_code: writtenCardCode },
  output: Type.Object({ card_id, contact_id, kind, balances, valid_through: giftValidThrough }),
  errors: ["card_not_found", "card_blocked"],
  async read({ services, caller, input: { card_code }, reject }) {
    const found = await lookUpCard({ services, caller }, card_code, (key) =>
      findCard(services.lookUps, caller, key),
    );
    if (found instanceof Rejection) return found as never;
    const unusable = rejectUnusable(found);
    if (unusable !== undefined) return unusable;
    const { card_id, contact_id: contactId, kind } = found;
    const member = await services.members.find(services.lookUps, {
      businessId: caller.businessId,
      contactId,
    });
    // An erasure has deleted the card since it was read.
    if (member === undefined) return reject("card_not_found", { reason: "unknown" });
    const { lapses_on, balances } = member;
    const valid_through = lapses_on === null ? null : addDays(lapses_on, -1);
    return { card_id, contact_id: member.contact_id, kind, balances, valid_through };
  },
});
