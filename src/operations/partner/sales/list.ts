import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listSales } from "../../../database/engine/sales.ts";
import { money } from "../../amounts.ts";
import * as shared from "../../sales/sales.ts";
import { checkPeriod } from "../../transactions.ts";

export const listSalesOperation = listOperation({
  path: "/sp/sales/list",
  scope: "wa.sales.read",
  summary: "List sales",
  message: "Sales listed.",
  description:
    "Lists the sales of the business by the day of the sale, newest first. An integration limited to some locations " +
    "sees the sales of these locations. With reference_id, a till finds the sale of a receipt.",
  operator: {
    role: "viewer",
    description:
      "Lists the sales of a business by the day of the sale, newest first. Sales that were imported without earning points " +
      "are only in the ledger.",
  },
  columns: ["sale_id", "sold_on", "contact_id", "reference_id", "amount", "refunded", "points_earned"],
  input: {
    contact_id: Type.Optional(fields.contactId),
    reference_id: Type.Optional(fields.referenceId),
    location_id: Type.Optional(fields.locationId),
    start_date: Type.Optional(fields.day("The first day of sales to list, inclusive.")),
    end_date: Type.Optional(fields.day("The last day of sales to list, inclusive.")),
  },
  output: Type.Object({
    sale_id: fields.saleId,
    contact_id: fields.contactId,
    location_id: fields.locationId,
    reference_id: shared.reference,
    sold_on: fields.day("The day of the sale."),
    amount: money("The total of the sale", 6500),
    refunded: money("The refunded part of the total", 1500),
    ...shared.payment,
    amount_due: shared.amountDue,
    points_earned: shared.pointsEarned,
    created_at: fields.timestamp,
  }),
  check: checkPeriod,
  list: ({ sql, services: { scans }, caller, input, page }) => listSales({ sql, scans }, caller, input, page),
});
