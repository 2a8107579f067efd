import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { vouchers } from "../../../database/catalog.ts";
import { pick, voucher } from "../../records.ts";

export const archiveVoucher = writeOperation({
  path: "/op/vouchers/archive",
  role: "manager",
  event: "voucher.archived",
  summary: "Archive a voucher",
  message: "Voucher archived.",
  description: "Archives a voucher definition, or restores it with archived: false.",
  input: {
    business_id: fields.businessId,
    voucher_id: fields.voucherId,
    archived: Type.Optional(
      Type.Boolean({
        default: true,
        description: "true archives the voucher, false restores it.",
        examples: [true],
      }),
    ),
  },
  output: voucher,
  errors: ["voucher_not_found"],
  async write({ input: { voucher_id, archived = true }, tx, caller, audit, reject }) {
    const updated = await vouchers.update(tx, caller.businessId, voucher_id, { archived });
    if (updated === undefined) return reject("voucher_not_found");
    audit(updated);
    return pick(updated.after, voucher);
  },
});
