import { benefits } from "../../records.ts";

export const listTopupBenefits = benefits.list({
  path: "/op/topup-benefits/list",
  role: "viewer",
  summary: "List top-up benefits",
  message: "Top-up benefits listed.",
  description: "Lists the top-up benefits of a business, active or not, newest first.",
});
