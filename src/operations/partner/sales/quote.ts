import { Rejection, readOperation, Type } from "../../../contract/declare.ts";
import { lapsedSince } from "../../../domain/engine/lots.ts";
import { mostUsablePoints } from "../../../domain/engine/rules.ts";
import { decideSale } from "../../../domain/engine/sale.ts";
import { programOf } from "../../../domain/engine/tier.ts";
import { usableAt } from "../../../domain/engine/voucher.ts";
import { money, points } from "../../amounts.ts";
import { receiptFields, receiptLines } from "../../sale-lines.ts";
import { noPoints } from "../../sale-reasons.ts";
import * as shared from "../../sales.ts";

const mostUsableVouchers = 100;

export const quoteSale = readOperation({
  path: "/sp/sales/quote",
  scope: "wa.sales.read",
  summary: "Quote a sale",
  message: "Sale quoted.",
  description:
    "Returns the effect that recording this sale would have now: the amount due, the points earned and the reasons, " +
    "and the vouchers, points and wallet money that can pay. It changes nothing. It returns the same errors as recording.",
  input: { ...shared.saleInput, lines: Type.Optional(receiptLines) },
  output: Type.Object({
    ...shared.saleResult,
    usable: Type.Object(
      {
        points: points("The most points that can pay a part of this sale, after its vouchers.", 300),
        no_points: noPoints,
        wallet: money("The most that the wallet can pay, after the vouchers and points of this quote", 3370),
        vouchers: Type.Array(shared.usableVoucher, {
          maxItems: mostUsableVouchers,
          description:
            "The vouchers that can be used at the location, those that lapse first before the others.",
        }),
      },
      { description: "The vouchers, points and wallet money that can pay a part of the sale." },
    ),
    program: shared.program,
  }),
  errors: shared.saleErrors,
  maximumFields: receiptFields,
  onlyOneOf: shared.oneWayToEarn,
  check: shared.checkSale,
  async read({ services, caller, input, reject }) {
    const { businessId } = caller;
    const {
      contact_id: contactId,
      location_id,
      use_points: spends = 0,
      use_vouchers: ids = [],
      sold_on,
    } = input;
    const member = await services.members.find(services.lookUps, {
      businessId,
      contactId,
      spends,
      rulesOn: sold_on,
      promotedOn: [sold_on ?? null],
      lapsedSince: sold_on,
      vouchers: { ids, codes: [], usable: mostUsableVouchers },
    });
    if (member === undefined) return reject("member_not_found");
    if (member.contact_id !== contactId) {
      return reject("member_inactive", { merged_into: member.contact_id });
    }
    const { rules, today, localTime, given } = member;
    const decision = decideSale(member, input, rules, {
      today,
      localTime,
      now: today,
      entryNo: 1,
      voucherNo: 1,
      locations: caller.locations,
      given,
    });
    if (decision instanceof Rejection) return decision;
    const program = programOf(rules, member.tier.standing);
    const { sale_id: _, reference_id: __, amount, ...data } = decision.data;
    const { voucher_amount, points_amount } = data;
    const { payable } = decision;
    const lapsed = member.points.lots.reduce((sum, lot) => sum + lapsedSince(lot, sold_on ?? today), 0);
    return {
      amount,
      ...data,
      vouchers_granted: data.vouchers_granted.map((one) => ({ ...one, held_voucher_id: null })),
      usable: {
        ...mostUsablePoints(rules, member.points.balance + lapsed, payable - voucher_amount),
        wallet: Math.min(member.balances.wallet, input.amount - voucher_amount - points_amount),
        vouchers: (payable === 0 ? [] : usableAt(member.vouchers, { location_id, sold_on }))
          .slice(0, mostUsableVouchers)
          .map(shared.showVoucher),
      },
      program: program && { program_id: program.program_id, membership_name: program.membership_name },
    };
  },
});
