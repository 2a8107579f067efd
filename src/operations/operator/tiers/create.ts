import { tierFields, tiers } from "../../records.ts";

export const createTier = tiers.create({
  path: "/op/tiers/create",
  event: "tier.created",
  summary: "Create a tier",
  description: "Creates a tier that members can be given, valid for a number of periods.",
  message: "Tier created.",
  input: tierFields,
});
