import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { decideSale } from "../../../domain/engine/sale.ts";
import * as engine from "../../sales.ts";

export const recordSale = postingOperation({
  path: "/sp/sales/record",
  scope: "wa.sales.write",
  needs: ["engine"],
  summary: "Record a sale",
  description:
    "Records a purchase: points and wallet pay what use_points and use_wallet say, the till takes amount_due, and the sale " +
    "earns points by the business's rules. All of this is recorded, or nothing is.",
  message: "Sale recorded.",
  input: { ...engine.saleInput, reference_id: Type.Optional(fields.referenceId) },
  output: Type.Object({ sale_id: fields.saleId, reference_id: engine.reference, ...engine.saleResult }),
  example: { contact_id: 100001, location_id: 1, amount: 2500, reference_id: "receipt-000812" },
  errors: engine.saleErrors,
  check: engine.checkSale,
  decide: ({ input, member, rules, today, nextEntryNo, fail }) =>
    member === undefined ? fail("member_not_found") : decideSale(member, input, rules(), today, nextEntryNo),
});
