import { fields, writeOperation } from "../../../contract/declare.ts";
import { tiers } from "../../../database/catalog.ts";
import { changesOf, tier, tierFields } from "../../catalog-fields.ts";

export const updateTierForOperator = writeOperation({
  path: "/op/tiers/update",
  event: "tier.updated",
  summary: "Update a tier",
  description: "Changes a tier's name or validity. What is omitted stays.",
  message: "Tier updated.",
  input: {
    business_id: fields.businessId,
    tier_id: fields.tierId,
    ...changesOf(tierFields),
  },
  atLeastOne: true,
  output: tier,
  errors: ["tier_not_found"],
  async write({ input: { business_id: _, tier_id, ...change }, tx, caller, audit, fail }) {
    const before = await tiers.lock(tx, caller.businessId, tier_id);
    const after = await tiers.change(tx, caller.businessId, tier_id, change);
    if (before === undefined || after === undefined) return fail("tier_not_found");
    audit({ before, after });
    return after;
  },
});
