import { changesOf, tierFields, tierRuleFields, tiers, withTierRules } from "../../records.ts";

export const createTier = tiers.create(
  {
    path: "/op/tiers/create",
    role: "manager",
    event: "tier.created",
    summary: "Create a tier",
    message: "Tier created.",
    description:
      "Creates a tier, which is valid for a number of periods. Members reach it by their sales if it has qualifying_sales. " +
      "Operators can assign it to any member.",
    input: { ...tierFields, ...changesOf(tierRuleFields) },
    ...withTierRules,
  },
  { qualifying_sales: null, program_id: null },
);
