import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { deleteTier } from "../../../database/catalog.ts";

export const deleteMemberTier = writeOperation({
  path: "/sp/member-tiers/delete",
  scope: "wa.tiers.write",
  summary: "Delete a member tier",
  description: "Deletes a tier. Members that had it have no tier from then on.",
  message: "Member tier deleted.",
  input: { tier_id: fields.tierId },
  output: Type.Object({
    tier_id: fields.tierId,
    deleted: fields.flag("Always true.", true),
  }),
  example: { tier_id: 3 },
  errors: ["tier_not_found"],
  write: async ({ input: { tier_id }, tx, caller, fail }) =>
    (await deleteTier(tx, caller.businessId, tier_id)) ? { tier_id, deleted: true } : fail("tier_not_found"),
});
