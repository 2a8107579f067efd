import { changesOf, tierFields, tiers } from "../../records.ts";

export const updateTierForOperator = tiers.update({
  path: "/op/tiers/update",
  event: "tier.updated",
  summary: "Update a tier",
  description: "Changes a tier's name or validity. Fields that you omit don't change.",
  message: "Tier updated.",
  input: changesOf(tierFields),
});
