import { tiers } from "../../records.ts";

export const deleteTierForOperator = tiers.remove({
  path: "/op/tiers/delete",
  role: "manager",
  sensitive: true,
  event: "tier.deleted",
  summary: "Delete a tier",
  description:
    "Deletes a tier. Members that had this tier then have the highest other tier that their sales reach, or none.",
});
