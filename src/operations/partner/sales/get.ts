import { fields, Rejection, readOperation, Type } from "../../../contract/declare.ts";
import { findRecordPlace } from "../../../database/engine/places.ts";
import { findRulesVersion } from "../../../database/engine/rules.ts";
import { listRefunds } from "../../../database/engine/sales.ts";
import { checkLocation } from "../../../domain/access/access.ts";
import { explainEarning } from "../../../domain/engine/earning/earning.ts";
import { mostSaleLines } from "../../../domain/engine/lines.ts";
import { mostPromotions } from "../../../domain/engine/promotions/acting.ts";
import { decideRefund } from "../../../domain/engine/refund.ts";
import { withText } from "../../../domain/engine/till-texts.ts";
import { showUsed } from "../../../domain/engine/vouchers/cover.ts";
import { money } from "../../amounts.ts";
import { recordedStamps, showStamps } from "../../promotions/stamps.ts";
import { pick } from "../../records.ts";
import { recordedGrant, showGrants } from "../../sales/sale-grants.ts";
import * as lines from "../../sales/sale-lines.ts";
import { recordedReasons } from "../../sales/sale-reasons.ts";
import * as shared from "../../sales/sales.ts";

const refund = Type.Object({
  amount: money("The refunded part of the sale's total", 1500),
  lines_back: lines.linesBack,
  money_back: shared.moneyBack,
  wallet_back: shared.walletBack,
  points_back: shared.pointsBack,
  ...shared.clawback,
  points_owed: shared.pointsOwed,
  vouchers_taken: shared.vouchersTaken,
  vouchers_excused: shared.vouchersExcused,
  location_id: fields.locationId,
  reference_id: shared.reference,
  reason: fields.nullable(fields.reason, "The reason, or null.", "Too small"),
  created_at: fields.timestamp,
});

/** The fields of the response that are stored with the sale. */
const storedSale = Type.Object({
  sale_id: fields.saleId,
  contact_id: fields.contactId,
  location_id: fields.locationId,
  reference_id: shared.reference,
  sold_on: fields.day("The day of the sale."),
  sold_at: shared.soldAt,
  created_at: fields.timestamp,
  amount: money("The total of the sale", 6500),
  eligible_amount: money("The part of the total that could earn points", 6500),
  ...shared.payment,
  amount_due: shared.amountDue,
  points_earned: shared.pointsEarned,
});

export const getSale = readOperation({
  path: "/sp/sales/get",
  scope: "wa.sales.read",
  summary: "Get a sale",
  message: "Sale found.",
  description:
    "Returns one sale with its refunds, why it earned its points, and the effect that a refund of the rest would have now.",
  operator: { role: "viewer" },
  input: { sale_id: fields.saleId },
  output: Type.Object({
    ...storedSale.properties,
    lines: Type.Array(lines.recordedLine, {
      maxItems: mostSaleLines,
      description: "The lines of the receipt. Empty if the sale was recorded without lines.",
    }),
    vouchers_used: shared.vouchersUsed,
    promotions: Type.Array(recordedGrant, {
      maxItems: mostPromotions,
      description: "What promotions gave for the sale.",
    }),
    stamp_cards_given: recordedStamps,
    why: recordedReasons,
    refundable: shared.refundable,
    refunds: Type.Array(refund, { maxItems: 1000, description: "The first thousand refunds, oldest first." }),
    full_refund: Type.Union([shared.refundEffect, Type.Null()], {
      description: "The effect that a refund of the rest would have now; null if nothing is left.",
    }),
  }),
  errors: ["sale_not_found", "sp_location_not_allowed"],
  async read({ services: { lookUps, members }, caller: { businessId, locations }, input, reject }) {
    const place = await findRecordPlace(lookUps, businessId, "sale", input.sale_id);
    if (place === undefined) return reject("sale_not_found");
    const { contact_id: contactId, location_id, created_at } = place;
    const elsewhere = checkLocation(locations, location_id);
    if (elsewhere !== undefined) return elsewhere;
    const member = await members.find(lookUps, { businessId, contactId, named: { sale: [input.sale_id] } });
    const sale = member?.sale;
    if (member === undefined || sale === undefined) return reject("sale_not_found");
    const [refunds, rules] = await Promise.all([
      listRefunds(lookUps, businessId, input.sale_id),
      findRulesVersion(lookUps, businessId, sale.rules_version),
    ]);
    const full = decideRefund(member, sale, { location_id: sale.location_id }, member.rules, member.today);
    return {
      ...pick({ ...sale, created_at }, storedSale),
      lines: lines.showLines(sale),
      vouchers_used: sale.held_voucher_ids.flatMap((id) => {
        const voucher = member.vouchers.find(
          (one) => one.held_voucher_id === id && one.sale_id === sale.sale_id,
        );
        return voucher === undefined ? [] : [showUsed({ voucher, covered: voucher.covered ?? 0 })];
      }),
      promotions: showGrants(sale.grants),
      stamp_cards_given: showStamps(sale.stamps),
      why: explainEarning(sale, rules).map((one) => withText(one, member.currency)),
      refundable: sale.amount - sale.refunded,
      refunds: refunds.flatMap(({ refunded, lines_back, ...row }) =>
        refunded <= sale.refunded ? [showRefund({ ...row, lines_back })] : [],
      ),
      full_refund: full instanceof Rejection ? null : pick(full.refund, shared.refundEffect),
    };
  },
});

function showRefund({
  lines_back,
  vouchers_taken,
  vouchers_excused,
  ...row
}: Omit<Awaited<ReturnType<typeof listRefunds>>[number], "refunded">) {
  const vouchers = { vouchers_taken: [...vouchers_taken], vouchers_excused: [...vouchers_excused] };
  return { ...row, ...vouchers, lines_back: lines.showLinesBack(lines_back) };
}
