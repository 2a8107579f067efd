import { fields, listOperation } from "../../../contract/declare.ts";
import { benefits } from "../../../database/catalog.ts";
import { topupBenefit } from "../../catalog-fields.ts";

export const listTopupBenefits = listOperation({
  path: "/op/topup-benefits/list",
  summary: "List top-up benefits",
  description: "The top-up benefits of a business, on offer or not, newest first.",
  message: "Top-up benefits listed.",
  input: { business_id: fields.businessId },
  output: topupBenefit,
  list: ({ sql, caller, page }) => benefits.page(sql, caller.businessId, page),
});
