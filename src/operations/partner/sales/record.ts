import { fields, postingOperation, Rejection, Type } from "../../../contract/declare.ts";
import { decideSale } from "../../../domain/engine/sale.ts";
import { accounts } from "../../../domain/ledger.ts";
import { receiptFields, receiptLines } from "../../sales/sale-lines.ts";
import * as shared from "../../sales/sales.ts";
import { countedCodes, findCodesInUse } from "../../vouchers/voucher-codes.ts";

export const recordSale = postingOperation({
  path: "/sp/sales/record",
  scope: "wa.sales.write",
  emits: "sale.recorded",
  needs: {
    balances: accounts,
    points: ({ use_points = 0 }: { use_points?: number }) => use_points,
    vouchers: ({ use_vouchers: ids = [] }: { use_vouchers?: readonly number[] }) => ({ ids }),
    tier: true,
    promotions: true,
    stamps: true,
    codes: countedCodes,
  },
  summary: "Record a sale",
  message: "Sale recorded.",
  description:
    "Records a purchase: vouchers, points and wallet pay what use_vouchers, use_points and use_wallet say, the till takes amount_due, and the sale " +
    "earns points by the business's rules. All of this is recorded, or nothing is.",
  input: {
    ...shared.saleInput,
    lines: Type.Optional(receiptLines),
    reference_id: Type.Optional(fields.referenceId),
  },
  output: Type.Object({ sale_id: fields.saleId, reference_id: shared.reference, ...shared.saleResult }),
  errors: shared.saleErrors,
  maximumFields: receiptFields,
  onlyOneOf: shared.oneWayToEarn,
  check: shared.checkSale,
  async find({ input: { contact_id, location_id, use_codes }, ...context }) {
    if (use_codes === undefined) return { contact_id, location_id };
    // A retry gets the stored response, so a rejection waits for the decision.
    return { contact_id, location_id, record: await findCodesInUse(context, use_codes) };
  },
  decide({ input, member, rules, record, reject, ...moment }) {
    if (record instanceof Rejection) return record as never;
    return member === undefined
      ? reject("member_not_found")
      : decideSale(member, input, rules, moment, record);
  },
});
