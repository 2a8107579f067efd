import { changesOf, partnerTier, tierFields, tiers } from "../../records.ts";

export const updateMemberTier = tiers.update({
  path: "/sp/member-tiers/update",
  scope: "wa.tiers.write",
  summary: "Update a member tier",
  message: "Member tier updated.",
  description: "Changes a tier's name or validity. Fields that you omit don't change.",
  input: changesOf(tierFields),
  output: partnerTier,
});
