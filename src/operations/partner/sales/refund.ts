import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { findRecordPlace } from "../../../database/engine/places.ts";
import { decideRefund } from "../../../domain/engine/refund.ts";
import { allOf } from "../../../pipeline/postings/internal-commands.ts";
import * as lines from "../../sales/sale-lines.ts";
import * as shared from "../../sales/sales.ts";

export const refundSale = postingOperation({
  path: "/sp/sales/refund",
  scope: "wa.sales.write",
  emits: "sale.refunded",
  needs: { ...allOf, named: ["sale"] },
  summary: "Refund a sale",
  message: "Sale refunded.",
  description:
    "Refunds a sale in whole or in part: lines of the receipt, or an amount. It gives back money, wallet and points in the " +
    "proportions in which they paid, and takes back the points that the sale earned, at the rate of the sale; none for " +
    "lines that earned nothing. An amount falls on what is left of all lines, in proportion. Vouchers come back with the refund of the rest. Several small refunds have the same " +
    "result as one large refund.",
  operator: {
    role: "support",
    undoes: true,
    event: "sale.refunded",
    description:
      "Refunds a sale in whole or in part, with the same effect as a refund at the location of the sale. It gives back wallet " +
      "and points in the proportions in which they paid, and takes back the points that the sale earned. money_back is what " +
      "the customer must get in money. The reason is stored with the refund and in the audit log.",
    confirm: "This can't be undone.",
    rejects: ({ refundable }, { amount = 1 }) =>
      (amount as number) > (refundable as number) ? "refund_exceeds_sale" : undefined,
  },
  input: {
    sale_id: fields.saleId,
    location_id: fields.locationId,
    amount: Type.Optional(shared.refundedAmount),
    lines: Type.Optional(lines.refundedLines),
    reason: Type.Optional(fields.reason),
    reference_id: Type.Optional(fields.referenceId),
  },
  output: Type.Object({ ...shared.refundResult.properties, lines_back: lines.linesBack }),
  maximumFields: lines.receiptFields,
  onlyOneOf: ["amount", "lines"],
  check: lines.checkRefund,
  errors: ["sale_not_found", "refund_exceeds_sale", "balance_limit_exceeded", "validation_failed"],
  find: async ({ services, caller, input, reject }) =>
    (await findRecordPlace(services.lookUps, caller.businessId, "sale", input.sale_id)) ??
    reject("sale_not_found"),
  decide: ({ input, member, rules, today, reject }) =>
    member?.sale === undefined
      ? reject("sale_not_found")
      : decideRefund(member, member.sale, input, rules, today),
});
