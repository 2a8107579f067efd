import { changesOf, tierFields, tierRuleFields, tiers, withTierRules } from "../../records.ts";

export const updateTierForOperator = tiers.update({
  path: "/op/tiers/update",
  role: "manager",
  event: "tier.updated",
  summary: "Update a tier",
  message: "Tier updated.",
  description:
    "Changes a tier: its name, its validity, the sales that members need for it, or the program of its members. Fields that " +
    "you omit don't change. Members keep the tier that they have until its last day.",
  input: changesOf({ ...tierFields, ...tierRuleFields }),
  ...withTierRules,
});
