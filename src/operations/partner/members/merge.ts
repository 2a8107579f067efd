import { fields, Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import { undone } from "../../../database/connection.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { lockMerging, setMergedInto } from "../../../database/members/members.ts";
import { mergeAccounts } from "../../../pipeline/postings/merging.ts";
import { money, points } from "../../amounts.ts";
import * as shared from "../../sales.ts";

export const mergeMembers = writeOperation({
  path: "/sp/members/merge",
  scope: "wa.members.merge",
  event: "member.merged",
  emits: "member.merged",
  summary: "Merge two members",
  description:
    "Merges the member from_contact_id into the member contact_id: its balances, points, vouchers, sales and debts become those " +
    "of contact_id, which keeps the higher of the two tiers. The merged member becomes inactive. Its number, phone " +
    "number, e-mail address, external reference and cards then find the other member. You can't undo this. With dry_run, the response " +
    "is the same, but nothing changes, and the same idempotency_key can be used for the merge.",
  operator: { role: "manager" },
  confirm: "This can't be undone.",
  message: "Members merged.",
  input: {
    from_contact_id: {
      ...fields.contactId,
      description: "The member that is merged into the other one.",
      examples: [100008],
    },
    contact_id: { ...fields.contactId, description: "The member that remains." },
    dry_run: fields.option("Whether to return the result without a change."),
  },
  output: Type.Object({
    contact_id: fields.contactId,
    merged: Type.Object(
      {
        wallet: money("Money in the wallet", 1370),
        points: points("Points that can be spent.", 165),
        points_pending: points("Points that can't be spent yet.", 45),
        points_owed: shared.pointsOwed,
        vouchers: money("Value of the vouchers"),
        sales: money("Sum of all purchases", 45_120),
      },
      { description: "The balances of the merged member, which are now those of contact_id." },
    ),
    balances: shared.balances,
    tier: shared.tierAfter("Whether it is another tier than before the merge."),
  }),
  errors: [
    "member_not_found",
    "members_are_the_same",
    "member_inactive",
    "already_merged",
    "balance_limit_exceeded",
  ],
  async write({ input, tx, caller, audit, emit, reject }) {
    const { from_contact_id, contact_id, dry_run = false } = input;
    const { businessId, integrationId = null } = caller;
    if (from_contact_id === contact_id) return reject("members_are_the_same");
    await lockLedger(tx, businessId);
    const rows = await lockMerging(tx, businessId, [from_contact_id, contact_id]);
    const [from, into] = [from_contact_id, contact_id].map((id) => rows.find((row) => row.contact_id === id));
    if (from === undefined || into === undefined) return reject("member_not_found");
    if (from.merged_into !== null) return reject("already_merged", { merged_into: from.merged_into });
    for (const { active, contact_id, merged_into } of [from, into]) {
      if (active) continue;
      return reject("member_inactive", { contact_id, ...(merged_into !== null && { merged_into }) });
    }
    const merge = async () => {
      const accounts = { from: from_contact_id, to: contact_id, integrationId };
      const moved = await mergeAccounts(tx, businessId, accounts);
      if (moved instanceof Rejection) return moved;
      await setMergedInto(tx, businessId, from, contact_id);
      return { contact_id, ...moved };
    };
    const result = await (dry_run ? undone(tx, merge) : merge());
    if (result instanceof Rejection) return result;
    const { merged, balances } = result;
    const source = { contact_id: from_contact_id, active: true };
    audit({
      before: source,
      after: dry_run ? source : { contact_id: from_contact_id, active: false, merged_into: contact_id },
    });
    audit({
      before: { contact_id },
      after: dry_run ? { contact_id } : { contact_id, merged_from: from_contact_id, merged, balances },
    });
    const members = { contact_ids: [contact_id, from_contact_id], data: { from_contact_id, ...result } };
    if (!dry_run) emit(members);
    return result;
  },
});
