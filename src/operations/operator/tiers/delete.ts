import { tiers } from "../../records.ts";

export const deleteTierForOperator = tiers.remove({
  path: "/op/tiers/delete",
  role: "manager",
  sensitive: true,
  event: "tier.deleted",
  summary: "Delete a tier",
  description: "Deletes a tier. Members that had this tier have no tier afterwards.",
  confirm: "This can't be undone. Members with this tier will have no tier.",
});
