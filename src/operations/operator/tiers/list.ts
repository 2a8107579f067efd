import { fields, listOperation } from "../../../contract/declare.ts";
import { tiers } from "../../../database/catalog.ts";
import { tier } from "../../catalog-fields.ts";

export const listTiersForOperator = listOperation({
  path: "/op/tiers/list",
  summary: "List tiers",
  description: "The tiers of a business, in the order they were made.",
  message: "Tiers listed.",
  input: { business_id: fields.businessId },
  output: tier,
  list: ({ sql, caller, page }) => tiers.page(sql, caller.businessId, page),
});
