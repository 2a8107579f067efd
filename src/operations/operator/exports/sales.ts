import { fields } from "../../../contract/declare.ts";
import { exportSales } from "../../../database/engine/sales.ts";
import { exportedSale, exportOperation } from "../../exports.ts";

export const exportSalesOperation = exportOperation({
  rows: "sales",
  noun: "sales",
  summary: "Export sales",
  description:
    "The sales of a business with what they earned and what is left of it, in the order in which they were recorded, some " +
    "thousand at a time. Ask again with next_after_sale_id until it is null.",
  message: "Sales exported.",
  row: exportedSale,
  key: "sale_id",
  keySchema: fields.saleId,
  read: exportSales,
});
