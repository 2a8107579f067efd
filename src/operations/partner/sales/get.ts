import { fields, Refusal, readOperation, Type } from "../../../contract/declare.ts";
import { findEngineMember } from "../../../database/engine/members.ts";
import { findSalePlace, listRefunds } from "../../../database/engine/sales.ts";
import { mayUseLocation } from "../../../domain/access.ts";
import { decideRefund } from "../../../domain/engine/refund.ts";
import { pick } from "../../records.ts";
import * as engine from "../../sales.ts";

const refund = Type.Object({
  amount: engine.money("What was refunded of the sale's total", 1500),
  money_back: engine.money("What the till gave back", 1000),
  wallet_back: engine.money("What returned to the wallet", 500),
  points_back: engine.points("Points that returned."),
  points_clawed: engine.points("Points that no longer counted.", 15),
  location_id: fields.locationId,
  reference_id: engine.reference,
  reason: fields.nullable(fields.reason, "Why, if it was said.", "Too small"),
  created_at: fields.timestamp,
});

/** What of a sale is shown as it is kept. */
const keptSale = Type.Object({
  sale_id: fields.saleId,
  contact_id: fields.contactId,
  location_id: fields.locationId,
  reference_id: engine.reference,
  sold_on: fields.day("The day of the sale."),
  created_at: fields.timestamp,
  amount: engine.money("The total of the sale", 6500),
  eligible_amount: engine.money("What of it could earn", 6500),
  ...engine.payment,
  amount_due: engine.money("What the till took", 4000),
  points_earned: engine.points("Points that the sale earned.", 60),
});

const fullRefund = Type.Object({
  money_back: engine.money("What the till would give back", 3000),
  wallet_back: engine.money("What would return to the wallet", 1500),
  points_back: engine.points("Points that would return.", 100),
  points_clawed: engine.points("Points that would no longer count.", 45),
});

export const getSale = readOperation({
  path: "/sp/sales/get",
  scope: "wa.sales.read",
  summary: "Get a sale",
  description: "One sale with its refunds, and what a refund of the rest would do now.",
  message: "Sale found.",
  input: { sale_id: fields.saleId },
  output: Type.Object({
    ...keptSale.properties,
    refundable: engine.money("What can still be refunded", 5000),
    refunds: Type.Array(refund, { maxItems: 1000, description: "The first thousand refunds, oldest first." }),
    full_refund: Type.Union([fullRefund, Type.Null()], {
      description: "What a refund of all that is left would do now; null when nothing is left.",
    }),
  }),
  errors: ["sale_not_found", "sp_location_not_allowed"],
  async read({ services: { lookUps }, caller: { businessId, locations }, input, fail }) {
    const place = await findSalePlace(lookUps, businessId, input.sale_id);
    if (place === undefined) return fail("sale_not_found");
    const { contact_id: contactId, location_id, created_at } = place;
    if (!mayUseLocation(locations, location_id)) return fail("sp_location_not_allowed", { location_id });
    const member = await findEngineMember(lookUps, { businessId, contactId, saleId: input.sale_id });
    const sale = member?.sale;
    if (member === undefined || sale === undefined) return fail("sale_not_found");
    const refunds = await listRefunds(lookUps, businessId, input.sale_id);
    const full = decideRefund(member, sale, { location_id }, member.rules, member.today);
    return {
      ...pick({ ...sale, created_at }, keptSale),
      refundable: sale.amount - sale.refunded,
      refunds: refunds.flatMap(({ refunded, ...row }) => (refunded <= sale.refunded ? [row] : [])),
      full_refund: full instanceof Refusal ? null : pick(full.refund, fullRefund),
    };
  },
});
