import { fields, Rejection, writeOperation } from "../../../contract/declare.ts";
import { lockMember } from "../../../database/members/members.ts";
import { card, checkOwnNumber, makeCard, ownNumber, personCardKind, toldCard } from "../../members/cards.ts";
import { rejectMerged } from "../../members/members.ts";

export const createCard = writeOperation({
  path: "/sp/cards/create",
  scope: "wa.members.write",
  emits: "card.created",
  status: 201,
  summary: "Create a card of a member",
  message: "Card created.",
  description:
    "Gives a member a card: a code to show on a phone, or to print. A till scans it, and finds the member with /sp/members/find. A " +
    "member can have several cards. With card_code, the card is one that the business has already.",
  operator: { role: "support", event: "card.created" },
  input: { contact_id: fields.contactId, kind: personCardKind, card_code: ownNumber },
  output: card,
  errors: ["member_not_found", "member_inactive", "member_anonymous", "card_already_exists"],
  check: ({ card_code }) => checkOwnNumber("card_code", card_code),
  async write({ input: { contact_id, kind, card_code }, tx, caller, services, audit, emit, reject }) {
    const member = await lockMember(tx, caller.businessId, contact_id);
    if (member === undefined) return reject("member_not_found");
    // Another code would be another way to its money, for a partner who may only change members.
    if (member.anonymous !== null) return reject("member_anonymous");
    const merged = await rejectMerged(tx, caller.businessId, contact_id, reject);
    if (merged !== undefined) return merged;
    const made = await makeCard(tx, { services, caller }, { contact_id, kind }, card_code);
    if (made instanceof Rejection) return made;
    audit({ before: null, after: toldCard(made) });
    emit({ contact_ids: [contact_id], data: toldCard(made) });
    return made;
  },
});
