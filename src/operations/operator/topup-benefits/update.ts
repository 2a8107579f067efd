import { benefitFields, benefits, changesOf } from "../../records.ts";

export const updateTopupBenefitForOperator = benefits.update({
  path: "/op/topup-benefits/update",
  role: "manager",
  event: "topup_benefit.updated",
  summary: "Update a top-up benefit",
  message: "Top-up benefit updated.",
  description: "Changes a benefit's title, bonus amount or status. Fields that you omit don't change.",
  input: changesOf(benefitFields),
});
