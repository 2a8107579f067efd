import { fields } from "../../../contract/declare.ts";
import { exportSales } from "../../../database/engine/sales.ts";
import { exportedSale, exportOperation } from "../../exports.ts";

export const exportSalesOperation = exportOperation({
  rows: "sales",
  noun: "sales",
  summary: "Export sales",
  description:
    "Returns the sales of a business with the points that they earned and that are left, in the order in which they " +
    "were recorded, some thousand at a time. Repeat the request with next_after_sale_id as after_sale_id until it is " +
    "null.",
  message: "Sales exported.",
  row: exportedSale,
  key: "sale_id",
  keySchema: fields.saleId,
  read: exportSales,
});
