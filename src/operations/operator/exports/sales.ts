import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { exportSales } from "../../../database/engine/sales.ts";
import {
  defaultExportRows,
  exportAfter,
  exportedSale,
  exportLimit,
  maximumExportRows,
  nextOf,
} from "../../exports.ts";

export const exportSalesOperation = readOperation({
  path: "/op/exports/sales",
  summary: "Export sales",
  description:
    "The sales of a business with what they earned and what is left of it, in the order in which they were recorded, some " +
    "thousand at a time. Ask again with next_after_sale_id until it is null.",
  message: "Sales exported.",
  input: {
    business_id: fields.businessId,
    after_sale_id: Type.Optional(exportAfter("Only sales after this one.")),
    limit: Type.Optional(exportLimit),
  },
  output: Type.Object({
    sales: Type.Array(exportedSale, { maxItems: maximumExportRows, description: "The sales." }),
    next_after_sale_id: fields.nullable(
      fields.saleId,
      "Send it as after_sale_id to go on; null at the end.",
      1000,
    ),
  }),
  async read({ sql, caller, input: { after_sale_id = 0, limit = defaultExportRows } }) {
    const sales = await exportSales(sql, caller, { after: after_sale_id, limit });
    return { sales, next_after_sale_id: nextOf(sales, limit)?.sale_id ?? null };
  },
});
