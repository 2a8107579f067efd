import { tiers } from "../../records.ts";

export const listTiersForOperator = tiers.list({
  path: "/op/tiers/list",
  summary: "List tiers",
  description: "The tiers of a business, in the order they were made.",
  message: "Tiers listed.",
});
