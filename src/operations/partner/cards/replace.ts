import { fields, Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import { lockCard, updateCardStatus } from "../../../database/members/cards.ts";
import {
  card,
  checkOwnNumber,
  lookUpCard,
  makeCard,
  ownNumber,
  toldCard,
  writtenCardCode,
} from "../../members/cards.ts";

const replacedId = {
  replaced_card_id: fields.identifier("The card that was replaced.", 40),
};

export const replaceCard = writeOperation({
  path: "/sp/cards/replace",
  scope: "wa.members.write",
  emits: "card.replaced",
  status: 201,
  summary: "Replace a card",
  message: "Card replaced.",
  description:
    "Gives the member of a card another card of the same kind, such as for a lost one. From now on, the old card is rejected with " +
    "card_blocked. A card that was blocked can be replaced, too, but each card only once. You can't undo this.",
  operator: { role: "support", event: "card.replaced" },
  confirm: "The old card can't be used any more. This can't be undone.",
  input: { card_code: writtenCardCode, new_card_code: ownNumber },
  output: Type.Object({ ...card.properties, ...replacedId }),
  errors: ["card_not_found", "card_blocked", "card_already_exists"],
  check: ({ new_card_code }) => checkOwnNumber("new_card_code", new_card_code),
  async write({ input, tx, caller, services, audit, emit, reject }) {
    const find = (key: string) => lockCard(tx, caller, key);
    const found = await lookUpCard({ services, caller }, input.card_code, find);
    if (found instanceof Rejection) return found as never;
    if (found.status === "replaced") return reject("card_blocked", { status: "replaced" });
    const made = await makeCard(tx, { services, caller }, found, input.new_card_code);
    if (made instanceof Rejection) return made;
    await updateCardStatus(tx, caller.businessId, found.card_id, "replaced");
    const replaced_card_id = found.card_id;
    audit({ before: toldCard(found), after: { ...toldCard(made), replaced_card_id } });
    emit({ contact_ids: [found.contact_id], data: { ...toldCard(made), replaced_card_id } });
    return { ...made, replaced_card_id };
  },
});
