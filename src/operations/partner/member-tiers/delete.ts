import { tiers } from "../../records.ts";

export const deleteMemberTier = tiers.remove({
  path: "/sp/member-tiers/delete",
  scope: "wa.tiers.write",
  summary: "Delete a member tier",
  message: "Member tier deleted.",
  description: "Deletes a tier. Members that had this tier have no tier afterwards.",
  operator: {
    path: "/op/tiers/delete",
    role: "manager",
    sensitive: true,
    event: "tier.deleted",
    summary: "Delete a tier",
    description:
      "Deletes a tier. Members that had this tier then have the highest other tier that their sales reach, or none.",
    message: "Tier deleted.",
    confirm: "This can't be undone.",
  },
  confirm: "This can't be undone. Members with this tier will have no tier.",
});
