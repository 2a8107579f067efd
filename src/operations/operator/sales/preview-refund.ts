import { fields, Rejection, readOperation, Type } from "../../../contract/declare.ts";
import { findRecordPlace } from "../../../database/engine/places.ts";
import { decideRefund } from "../../../domain/engine/refund.ts";
import { pick } from "../../records.ts";
import { checkRefund, receiptFields, refundedLines } from "../../sales/sale-lines.ts";
import { refundEffect, refundedAmount } from "../../sales/sales.ts";

export const previewRefund = readOperation({
  path: "/op/sales/preview-refund",
  role: "viewer",
  summary: "Preview a refund",
  description:
    "Returns the effect that a refund of a sale, or of a part of it, would have now: what the customer would get back, and what " +
    "would happen to the points. points_balance is what the customer would have afterwards. It changes nothing.",
  message: "Refund previewed.",
  input: {
    business_id: fields.businessId,
    sale_id: fields.saleId,
    amount: Type.Optional(refundedAmount),
    lines: Type.Optional(refundedLines),
  },
  output: Type.Object({
    ...refundEffect.properties,
    points_balance: fields.inPoints(fields.count("Reward points.", 33)),
  }),
  maximumFields: receiptFields,
  onlyOneOf: ["amount", "lines"],
  check: checkRefund,
  errors: ["sale_not_found", "refund_exceeds_sale", "balance_limit_exceeded", "validation_failed"],
  async read({ services: { lookUps, members }, caller: { businessId }, input, reject }) {
    const { sale_id, ...part } = input;
    const place = await findRecordPlace(lookUps, businessId, "sale", sale_id);
    if (place === undefined) return reject("sale_not_found");
    const wanted = { businessId, contactId: place.contact_id, named: { sale: [sale_id] } };
    const member = await members.find(lookUps, wanted);
    const sale = member?.sale;
    if (member === undefined || sale === undefined) return reject("sale_not_found");
    const { location_id } = sale;
    const preview = decideRefund(member, sale, { location_id, ...part }, member.rules, member.today);
    if (preview instanceof Rejection) return preview;
    return { ...pick(preview.refund, refundEffect), points_balance: preview.data.balances.points };
  },
});
