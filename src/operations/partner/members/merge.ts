import { fields, Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import { mergeInto } from "../../../pipeline/postings/merging.ts";
import { mergedBalances } from "../../members/members.ts";
import * as shared from "../../sales/sales.ts";

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
    merged: mergedBalances,
    balances: shared.balances,
    tier: shared.tierAfter("Whether it is another tier than before the merge."),
  }),
  errors: [
    "member_not_found",
    "members_are_the_same",
    "member_inactive",
    "already_merged",
    "member_anonymous",
    "balance_limit_exceeded",
  ],
  async write({ input, tx, caller, audit, emit, reject }) {
    const { from_contact_id, contact_id, dry_run = false } = input;
    const { businessId, integrationId = null } = caller;
    if (from_contact_id === contact_id) return reject("members_are_the_same");
    const merge = { from: from_contact_id, into: contact_id, integrationId, dryRun: dry_run };
    const result = await mergeInto(tx, businessId, merge);
    if (result instanceof Rejection) return result as never;
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
