import { Rejection, writeOperation } from "../../../contract/declare.ts";
import { lockCard, updateCardStatus } from "../../../database/members/cards.ts";
import { card, lookUpCard, toldCard, writtenCardCode } from "../../members/cards.ts";

export const blockCard = writeOperation({
  path: "/sp/cards/block",
  scope: "wa.members.write",
  emits: "card.blocked",
  summary: "Block a card",
  message: "Card blocked.",
  description:
    "Blocks a card that was lost or stolen: from now on, it is rejected with card_blocked. The member keeps what it has, and " +
    "/sp/cards/replace gives it another card. You can't undo this. A card that is blocked or replaced stays as it is.",
  operator: { role: "support", event: "card.blocked" },
  confirm: "This can't be undone.",
  input: { card_code: writtenCardCode },
  output: card,
  errors: ["card_not_found"],
  async write({ input, tx, caller, services, audit, emit }) {
    const find = (key: string) => lockCard(tx, caller, key);
    const found = await lookUpCard({ services, caller }, input.card_code, find);
    if (found instanceof Rejection) return found as never;
    if (found.status !== "active") {
      audit({ before: toldCard(found), after: toldCard(found) });
      return found;
    }
    const blocked = { ...found, status: "blocked" as const };
    await updateCardStatus(tx, caller.businessId, found.card_id, "blocked");
    audit({ before: toldCard(found), after: toldCard(blocked) });
    emit({ contact_ids: [found.contact_id], data: toldCard(blocked) });
    return blocked;
  },
});
