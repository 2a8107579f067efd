import { fields, postingOperation, Rejection } from "../../../contract/declare.ts";
import { findUniqueCode } from "../../../database/engine/rewards/voucher-codes.ts";
import { isMoneyOnly } from "../../../domain/cards.ts";
import { codeKey, decideClaim, type UniqueCode } from "../../../domain/engine/vouchers/codes.ts";
import { accounts } from "../../../domain/ledger.ts";
import { countWrongCode, tooManyWrongCodes } from "../../members/wrong-codes.ts";
import { writtenCode } from "../../vouchers/voucher-codes.ts";
import { issueVoucher } from "./issue.ts";

const found = (contact_id: number, record: UniqueCode | Rejection | undefined) => {
  const location_id = record instanceof Rejection ? undefined : record?.definition.location_id;
  return { contact_id, location_id, record };
};

export const claimVoucher = postingOperation({
  path: "/sp/vouchers/claim",
  scope: "wa.vouchers.write",
  emits: "voucher.issued",
  needs: {
    balances: accounts,
    points: () => 0,
    vouchers: () => ({}),
    codes: (code: UniqueCode | Rejection | undefined) =>
      code === undefined || code instanceof Rejection
        ? []
        : [{ code_id: code.code_id, voucher_id: code.definition.voucher_id }],
  },
  summary: "Claim a voucher by its code",
  message: "Voucher claimed.",
  description:
    "Gives a member the voucher of a unique code, such as one that was printed on a letter. Each code claims one voucher, once. After " +
    "20 wrong codes in a minute, an integration has to wait.",
  input: { contact_id: fields.contactId, code: writtenCode },
  output: issueVoucher.output,
  errors: [
    "member_not_found",
    "member_inactive",
    "gift_card_money_only",
    "voucher_code_not_found",
    "voucher_not_usable",
    "voucher_archived",
    "balance_limit_exceeded",
    "sp_location_not_allowed",
  ],
  async find({ input: { contact_id, code }, ...context }) {
    const { services, caller } = context;
    // A retry gets the stored response, so a rejection waits for the decision.
    const rejected = tooManyWrongCodes(context);
    if (rejected !== undefined) return found(contact_id, rejected);
    const record = await findUniqueCode(services.lookUps, caller.businessId, codeKey(code));
    if (record === undefined) countWrongCode(context);
    return found(contact_id, record);
  },
  decide({ input, member, record, reject, rules: _, ...moment }) {
    if (record instanceof Rejection) return record as never;
    if (member === undefined) return reject("member_not_found");
    return isMoneyOnly(member) ? reject("gift_card_money_only") : decideClaim(member, input, record, moment);
  },
});
