import { exportSales } from "../../../database/engine/sales.ts";
import { exportedSale, exportOperation, showExportedSale } from "../../exports.ts";

export const exportSalesOperation = exportOperation({
  rows: "sales",
  noun: "sales",
  returns:
    "the sales of a business with the points that they earned and that are left, in the order in which they were recorded",
  row: exportedSale,
  key: "sale_id",
  read: async (sql, business, page) => (await exportSales(sql, business, page)).map(showExportedSale),
});
