import { fields, postingOperation, Type } from "../../../contract/declare.ts";
import { findRecordPlace } from "../../../database/engine/places.ts";
import { decideRefund } from "../../../domain/engine/refund.ts";
import { accounts } from "../../../domain/ledger.ts";
import { refundedAmount, refundResult } from "../../sales.ts";

/** The partners' operation, for an operator: at the location of the sale, with a reason, and in the audit log. */
export const refundSaleForOperator = postingOperation({
  path: "/op/sales/refund",
  event: "sale.refunded",
  needs: { balances: accounts, points: () => 0, vouchers: () => ({}), named: ["sale"] },
  summary: "Refund a sale",
  description:
    "Refunds a sale in whole or in part, with the same effect as a refund at the location of the sale. It gives back wallet " +
    "and points in the proportions in which they paid, and takes back the points that the sale earned. money_back is what " +
    "the customer must get in money. The reason is stored with the refund and in the audit log.",
  confirm: "This can't be undone.",
  rejects: ({ refundable }, { amount = 1 }) =>
    amount > (refundable as number) ? "refund_exceeds_sale" : undefined,
  message: "Sale refunded.",
  input: {
    business_id: fields.businessId,
    sale_id: fields.saleId,
    amount: Type.Optional(refundedAmount),
    reason: fields.reason,
  },
  output: refundResult,
  errors: ["sale_not_found", "refund_exceeds_sale", "balance_limit_exceeded"],
  find: async ({ services, caller, input, fail }) =>
    (await findRecordPlace(services.lookUps, caller.businessId, "sale", input.sale_id)) ??
    fail("sale_not_found"),
  decide({ input, member, rules, today, fail }) {
    if (member?.sale === undefined) return fail("sale_not_found");
    const refund = { ...input, location_id: member.sale.location_id };
    return decideRefund(member, member.sale, refund, rules, today);
  },
});
