import { fields, Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { findCard } from "../../../database/members/cards.ts";
import { mergeInto } from "../../../pipeline/postings/merging.ts";
import { card, lookUpCard, rejectUnusable, writtenCardCode } from "../../members/cards.ts";
import { mergedBalances } from "../../members/members.ts";
import * as shared from "../../sales/sales.ts";

export const claimCard = writeOperation({
  path: "/sp/cards/claim",
  scope: "wa.wallet.write",
  event: "card.claimed",
  emits: "card.claimed",
  summary: "Claim an anonymous card",
  message: "Card claimed.",
  description:
    "Joins an anonymous card to a person: its money, points, stamps, vouchers and sales become those of contact_id, and the code then " +
    "finds this member. You can't undo this. It is a merge of the member of the card into the other one.",
  operator: { role: "support" },
  confirm: "This can't be undone.",
  input: {
    card_code: writtenCardCode,
    contact_id: { ...fields.contactId, description: "The member that gets the card." },
  },
  output: Type.Object({
    contact_id: fields.contactId,
    card_id: card.properties.card_id,
    from_contact_id: {
      ...fields.contactId,
      description: "The anonymous member of the card, which is inactive now.",
      examples: [100008],
    },
    merged: mergedBalances,
    balances: shared.balances,
    tier: shared.tierAfter("Whether it is another tier than before the claim."),
  }),
  errors: [
    "card_not_found",
    "card_blocked",
    "card_already_claimed",
    "member_not_found",
    "member_inactive",
    "member_anonymous",
    "balance_limit_exceeded",
  ],
  async write({ input: { card_code, contact_id }, tx, caller, services, audit, emit, reject }) {
    const { businessId, integrationId = null } = caller;
    // Before the ledger is locked, so that wrong codes hold up no postings.
    const first = await lookUpCard({ services, caller }, card_code, (key) => findCard(tx, caller, key));
    if (first instanceof Rejection) return first as never;
    await lockLedger(tx, businessId);
    const found = (await findCard(tx, caller, first.card_code)) ?? first;
    const unusable = rejectUnusable(found);
    if (unusable !== undefined) return unusable;
    const { contact_id: from_contact_id, card_id } = found;
    if (from_contact_id === contact_id) return reject("card_already_claimed");
    const merge = { from: from_contact_id, into: contact_id, integrationId, claims: true };
    const merged = await mergeInto(tx, businessId, merge);
    if (merged instanceof Rejection) return merged as never;
    const claimed = { card_id, from_contact_id, ...merged };
    audit({ before: { card_id, contact_id: from_contact_id }, after: claimed });
    emit({ contact_ids: [contact_id, from_contact_id], data: claimed });
    return claimed;
  },
});
