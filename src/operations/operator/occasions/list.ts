import { occasionRecords, readOccasions } from "../../promotions/occasions.ts";

export const listOccasions = occasionRecords.list({
  path: "/op/occasions/list",
  role: "viewer",
  summary: "List occasions",
  message: "Occasions listed.",
  description: "Lists the occasions of a business, also those that have ended, newest first.",
  ...readOccasions.list,
  columns: ["occasion_id", "name", "kind", "points", "voucher_id", "status"],
});
