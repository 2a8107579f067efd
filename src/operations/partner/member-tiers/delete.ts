import { tiers } from "../../records.ts";

export const deleteMemberTier = tiers.remove({
  path: "/sp/member-tiers/delete",
  scope: "wa.tiers.write",
  summary: "Delete a member tier",
  description: "Deletes a tier. Members that had this tier have no tier afterwards.",
  confirm: "This can't be undone. Members with this tier will have no tier.",
});
