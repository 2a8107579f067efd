import { fields, postingOperation } from "../../../contract/declare.ts";
import { findUniqueCode } from "../../../database/engine/voucher-codes.ts";
import { codeKey, decideClaim, type UniqueCode } from "../../../domain/engine/vouchers/codes.ts";
import { accounts } from "../../../domain/ledger.ts";
import { countWrongCode, tooManyWrongCodes, writtenCode } from "../../voucher-codes.ts";
import { issueVoucher } from "./issue.ts";

export const claimVoucher = postingOperation({
  path: "/sp/vouchers/claim",
  scope: "wa.vouchers.write",
  emits: "voucher.issued",
  needs: {
    balances: accounts,
    points: () => 0,
    vouchers: () => ({}),
    codes: (code: UniqueCode | undefined) =>
      code === undefined ? [] : [{ code_id: code.code_id, voucher_id: code.definition.voucher_id }],
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
    "voucher_code_not_found",
    "voucher_not_usable",
    "voucher_archived",
    "balance_limit_exceeded",
    "sp_location_not_allowed",
  ],
  async find({ input: { contact_id, code }, ...context }) {
    const { services, caller } = context;
    const rejected = tooManyWrongCodes(context);
    if (rejected !== undefined) return rejected as never;
    const record = await findUniqueCode(services.lookUps, caller.businessId, codeKey(code));
    if (record === undefined) countWrongCode(context);
    return { contact_id, location_id: record?.definition.location_id, record };
  },
  decide: ({ input, member, record, reject, rules: _, ...moment }) =>
    member === undefined ? reject("member_not_found") : decideClaim(member, input, record, moment),
});
