import { benefits } from "../../records.ts";

export const listTopupBenefits = benefits.list({
  path: "/op/topup-benefits/list",
  role: "viewer",
  summary: "List top-up benefits",
  description: "Lists the top-up benefits of a business, active or not, newest first.",
});
