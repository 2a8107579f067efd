import { fields, listOperation } from "../../../contract/declare.ts";
import { listCards } from "../../../database/members/cards.ts";
import { findMember } from "../../../database/members/members.ts";
import { card, rejectHiddenCode } from "../../members/cards.ts";

export const listCardsOperation = listOperation({
  path: "/sp/cards/list",
  scope: "wa.members.read",
  summary: "List a member's cards",
  message: "Cards listed.",
  description: "Lists the cards of a member, newest first, also those that are blocked or replaced.",
  operator: { path: "/op/cards/of-member", role: "viewer" },
  columns: ["card_id", "card_code", "kind", "status", "created_at"],
  input: { contact_id: fields.contactId },
  output: card,
  errors: ["member_not_found"],
  async list({ sql, services, caller, input, page, reject }) {
    const member = await findMember(services.lookUps, caller.businessId, input.contact_id);
    if (member === undefined) return reject("member_not_found");
    const hidden = rejectHiddenCode(caller, member);
    if (hidden !== undefined) return hidden;
    return listCards({ sql, scans: services.scans }, caller, member.contact_id, page);
  },
});
