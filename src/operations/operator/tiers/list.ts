import { tiers } from "../../records.ts";

export const listTiersForOperator = tiers.list({
  path: "/op/tiers/list",
  role: "viewer",
  summary: "List tiers",
  description: "Lists the tiers of a business, in the order in which they were created.",
});
