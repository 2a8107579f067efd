import { forOperators } from "../../for-operators.ts";
import { listSalesOperation } from "../../partner/sales/list.ts";

export const listSalesForOperator = forOperators(listSalesOperation, {
  path: "/op/sales/list",
  role: "viewer",
  summary: "List sales",
  description:
    "Lists the sales of a business by the day of the sale, newest first. Sales that were imported without earning points " +
    "are only in the ledger.",
});
