import { postingForOperators } from "../../for-operators.ts";
import { refundSale } from "../../partner/sales/refund.ts";

export const refundSaleForOperator = postingForOperators(refundSale, {
  path: "/op/sales/refund",
  role: "support",
  undoes: true,
  event: "sale.refunded",
  summary: "Refund a sale",
  description:
    "Refunds a sale in whole or in part, with the same effect as a refund at the location of the sale. It gives back wallet " +
    "and points in the proportions in which they paid, and takes back the points that the sale earned. money_back is what " +
    "the customer must get in money. The reason is stored with the refund and in the audit log.",
  confirm: "This can't be undone.",
  rejects: ({ refundable }, { amount = 1 }) =>
    (amount as number) > (refundable as number) ? "refund_exceeds_sale" : undefined,
});
