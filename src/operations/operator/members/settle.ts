import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { findMemberAndRules } from "../../../database/engine/members.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { settleMembers } from "../../../pipeline/postings/open-ledger.ts";
import { rejectMerged } from "../../members/members.ts";
import * as shared from "../../sales/sales.ts";

export const settleMember = writeOperation({
  path: "/op/members/settle",
  role: "support",
  event: "member.settled",
  summary: "Settle a member's points",
  description:
    "Records the points of a member that have matured or expired. The service also does this by itself; use this " +
    "operation if the ledger must be up to date now.",
  message: "Member settled.",
  input: { business_id: fields.businessId, contact_id: fields.contactId },
  output: Type.Object({
    contact_id: fields.contactId,
    entries: fields.count("The number of ledger entries that were recorded.", 1),
    balances: shared.balances,
  }),
  errors: ["member_not_found", "member_inactive"],
  async write({ input: { contact_id }, tx, caller: { businessId }, audit, reject }) {
    await lockLedger(tx, businessId);
    const before = await findMemberAndRules(tx, { businessId, contactId: contact_id });
    if (before === undefined) return reject("member_not_found");
    const rejection = await rejectMerged(tx, businessId, contact_id, reject);
    if (rejection !== undefined) return rejection;
    const entries = await settleMembers(tx, businessId, [contact_id]);
    const after = await findMemberAndRules(tx, { businessId, contactId: contact_id });
    const balances = (after ?? before).balances;
    audit({ before: { contact_id, ...before.balances }, after: { contact_id, ...balances } });
    return { contact_id, entries, balances };
  },
});
