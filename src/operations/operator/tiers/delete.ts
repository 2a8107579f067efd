import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { deleteTier, tiers } from "../../../database/catalog.ts";

export const deleteTierForOperator = writeOperation({
  path: "/op/tiers/delete",
  event: "tier.deleted",
  summary: "Delete a tier",
  description: "Deletes a tier. Members that had it have no tier from then on.",
  message: "Tier deleted.",
  input: { business_id: fields.businessId, tier_id: fields.tierId },
  output: Type.Object({
    tier_id: fields.tierId,
    deleted: fields.flag("Always true.", true),
  }),
  errors: ["tier_not_found"],
  async write({ input: { tier_id }, tx, caller, audit, fail }) {
    const before = await tiers.lock(tx, caller.businessId, tier_id);
    if (before === undefined) return fail("tier_not_found");
    await deleteTier(tx, caller.businessId, tier_id);
    audit({ before, after: null });
    return { tier_id, deleted: true };
  },
});
