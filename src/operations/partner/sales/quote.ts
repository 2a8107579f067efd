import { Rejection, readOperation, Type } from "../../../contract/declare.ts";
import { countCodeUses } from "../../../database/engine/rewards/voucher-codes.ts";
import { rulesFor } from "../../../domain/engine/earning/holders.ts";
import { lapsedSince } from "../../../domain/engine/lots.ts";
import { decideSale } from "../../../domain/engine/sale.ts";
import { programOf } from "../../../domain/engine/tiers/tier.ts";
import { withText } from "../../../domain/engine/till-texts.ts";
import { coverage, coveredAmount } from "../../../domain/engine/vouchers/cover.ts";
import { usableAt } from "../../../domain/engine/vouchers/use.ts";
import { mostUsablePoints } from "../../../domain/engine/worth.ts";
import { money, points } from "../../amounts.ts";
import { receiptFields, receiptLines } from "../../sales/sale-lines.ts";
import { noPoints } from "../../sales/sale-reasons.ts";
import * as shared from "../../sales/sales.ts";
import { countedCodes, findCodesInUse } from "../../vouchers/voucher-codes.ts";

const mostUsableVouchers = 100;
/** The number of a voucher that a quote would make. No voucher has it. */
const unusedNo = Number.MAX_SAFE_INTEGER - 1000;

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
        vouchers: Type.Array(shared.payingVoucher, {
          maxItems: mostUsableVouchers,
          description:
            "The vouchers that can be used in this sale, those that lapse first before the others.",
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
  async read({ input, reject, ...context }) {
    const { services, caller } = context;
    const { businessId } = caller;
    const {
      contact_id: contactId,
      location_id,
      use_points: spends = 0,
      use_vouchers: ids = [],
      sold_on,
    } = input;
    const codes = await findCodesInUse(context, input.use_codes);
    if (codes instanceof Rejection) return codes as never;
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
    const { rules, today, localTime, currency, given } = member;
    const wanted = countedCodes(codes).map((code) => ({
      business_id: businessId,
      contact_id: contactId,
      ...code,
    }));
    const counted = codes.length === 0 ? [] : await countCodeUses(services.lookUps, wanted);
    const codeUses = new Map(counted.flatMap(([, uses]) => [...uses]));
    const now = { today, localTime, currency, now: today, entryNo: 1, voucherNo: unusedNo };
    const moment = { ...now, locations: caller.locations, given, codeUses };
    const decision = decideSale(member, input, rules, moment, codes);
    if (decision instanceof Rejection) return decision;
    const program = programOf(rulesFor(rules, member), member.tier.standing);
    const { sale_id: _, reference_id: __, amount, ...data } = decision.data;
    const { voucher_amount, points_amount } = data;
    const { payable } = decision.payable;
    const coveredBy = coverage(decision.payable);
    const lapsed = member.points.lots.reduce((sum, lot) => sum + lapsedSince(lot, sold_on ?? today), 0);
    const { no_points, ...most } = mostUsablePoints(
      rules,
      member.points.balance + lapsed,
      payable - voucher_amount,
    );
    return {
      amount,
      ...data,
      vouchers_used: data.vouchers_used.map((one) => {
        return { ...one, held_voucher_id: ids.includes(one.held_voucher_id) ? one.held_voucher_id : null };
      }),
      vouchers_granted: data.vouchers_granted.map((one) => ({ ...one, held_voucher_id: null })),
      usable: {
        ...most,
        no_points: no_points && withText(no_points, currency),
        wallet: Math.min(member.balances.wallet, input.amount - voucher_amount - points_amount),
        vouchers: (payable === 0 ? [] : usableAt(member.vouchers, { location_id, sold_on }))
          .flatMap((voucher) => {
            const alone = coveredBy([voucher]);
            if (alone instanceof Rejection) return [];
            return [{ ...shared.showVoucher(voucher), covers: coveredAmount(alone) }];
          })
          .slice(0, mostUsableVouchers),
      },
      program: program && { program_id: program.program_id, membership_name: program.membership_name },
    };
  },
});
