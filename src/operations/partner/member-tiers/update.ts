import { fields, writeOperation } from "../../../contract/declare.ts";
import { tiers } from "../../../database/catalog.ts";
import { changesOf, tier, tierFields } from "../../catalog-fields.ts";

export const updateMemberTier = writeOperation({
  path: "/sp/member-tiers/update",
  scope: "wa.tiers.write",
  summary: "Update a member tier",
  description: "Changes a tier's name or validity. What is omitted stays.",
  message: "Member tier updated.",
  input: {
    tier_id: fields.tierId,
    ...changesOf(tierFields),
  },
  atLeastOne: true,
  output: tier,
  example: { tier_id: 1, name: "Copper" },
  errors: ["tier_not_found"],
  write: async ({ input: { tier_id, ...change }, tx, caller, fail }) =>
    (await tiers.change(tx, caller.businessId, tier_id, change)) ?? fail("tier_not_found"),
});
