import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { readOperation } from "../../../contract/operation.ts";
import { exportSales } from "../../../database/engine/sales.ts";
import * as engine from "../../engine-fields.ts";
import { defaultExportRows, exportAfter, exportLimit, maximumExportRows, nextOf } from "../../exports.ts";

export const exportSalesOperation = readOperation({
  path: "/op/exports/sales",
  scope: "operator",
  summary: "Export sales",
  description:
    "The sales of a business with what they earned and what is left of it, in the order in which they were recorded, some " +
    "thousand at a time. Ask again with next_after_sale_id until it is null.",
  message: "Sales exported.",
  input: Type.Object({
    business_id: fields.businessId,
    after_sale_id: Type.Optional(exportAfter("Only sales after this one.")),
    limit: Type.Optional(exportLimit),
  }),
  output: Type.Object({
    sales: Type.Array(
      Type.Object({
        sale_id: fields.saleId,
        created_at: fields.timestamp,
        sold_on: engine.day("The day of the sale."),
        contact_id: fields.contactId,
        location_id: fields.locationId,
        reference_id: engine.reference,
        amount: engine.money("The total of the sale", 6500),
        eligible_amount: engine.money("What of it could earn points", 6500),
        points_used: engine.points("Points that paid.", 100),
        points_amount: engine.money("What these points paid", 500),
        wallet_used: engine.money("What the wallet paid", 2000),
        amount_due: engine.money("What the till took", 4000),
        refunded: engine.money("What was refunded of it", 1500),
        points_earned: engine.points("Points that the sale earned.", 60),
        points_clawed: engine.points("Those of them that refunds took back."),
        points_spent: engine.points("Those of them that were spent.", 15),
        points_expired: engine.points("Those of them that expired."),
        points_left: engine.points("Those of them that are left, also while they can't be spent yet.", 45),
        matures_on: engine.nullableDay("The first day on which they can be spent; null if there are none."),
        valid_through: engine.nullableDay(
          "The last day on which they can be spent; null: they don't expire.",
        ),
      }),
      { maxItems: maximumExportRows, description: "The sales." },
    ),
    next_after_sale_id: Type.Union([fields.saleId, Type.Null()], {
      description: "Send it as after_sale_id to go on; null at the end.",
      examples: [1000],
    }),
  }),
  errors: [],
  async read({ sql, caller, input: { after_sale_id = 0, limit = defaultExportRows } }) {
    const sales = await exportSales(sql, caller, after_sale_id, limit);
    return { sales, next_after_sale_id: nextOf(sales, limit)?.sale_id ?? null };
  },
});
