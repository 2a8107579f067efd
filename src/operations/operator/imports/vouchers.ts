import { fields, writeOperation } from "../../../contract/declare.ts";
import { importBodyBytes } from "../../../domain/imports/limits.ts";
import { responseOf } from "../../imports/chunks.ts";
import { voucherLines } from "../../imports/imported-vouchers.ts";
import { importResult, trialFields } from "../../imports/imports.ts";
import { recordVoucherLines } from "../../imports/recorded-vouchers.ts";

export const importVouchers = writeOperation({
  path: "/op/imports/vouchers",
  role: "manager",
  event: "vouchers.imported",
  emits: "vouchers.imported",
  maximumBodyBytes: importBodyBytes,
  summary: "Import vouchers that members hold",
  description:
    "Gives members, active or not, the vouchers that they hold in another system. The valid lines of a request are imported in " +
    "one transaction. A line names a definition, also an archived one, by its voucher_id or its coupon_code. It is identified by " +
    "its reference_id, or else by its values. A line that is already imported is skipped. A line whose reference_id was " +
    "imported with other values is rejected, and so is a line of a member who was erased.",
  message: "Vouchers imported.",
  input: { business_id: fields.businessId, lines: voucherLines, ...trialFields },
  output: importResult,
  async write({ audit, ...context }) {
    const outcome = await recordVoucherLines(context);
    return responseOf(outcome, audit, context.input.dry_run !== true && outcome.imported > 0);
  },
});
