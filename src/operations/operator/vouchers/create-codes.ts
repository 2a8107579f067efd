import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { newVoucherCode } from "../../../credentials/voucher-codes.ts";
import { vouchers } from "../../../database/catalog.ts";
import { insertCodes } from "../../../database/engine/rewards/voucher-codes.ts";
import { codeKey } from "../../../domain/engine/vouchers/codes.ts";

const mostCodes = 100_000;

export const createCodes = writeOperation({
  path: "/op/vouchers/create-codes",
  role: "manager",
  event: "voucher.codes_created",
  summary: "Create unique codes of a voucher",
  message: "Codes created.",
  description:
    "Makes unique codes. Each claims one voucher of the definition, with /sp/vouchers/claim. /op/exports/codes has them, with the " +
    "members who claimed them.",
  input: {
    business_id: fields.businessId,
    voucher_id: fields.voucherId,
    count: fields.whole(1, mostCodes, "How many.", 500),
  },
  output: Type.Object({
    voucher_id: fields.voucherId,
    created: fields.count("How many codes were made.", 500),
  }),
  errors: ["voucher_not_found", "voucher_archived"],
  async write({ input: { voucher_id, count }, tx, caller, audit, reject }) {
    const definition = await vouchers.find(tx, caller.businessId, voucher_id);
    if (definition === undefined) return reject("voucher_not_found");
    if (definition.archived) return reject("voucher_archived");
    let created = 0;
    // A code that was made before is left out, and another one is made.
    while (created < count) {
      const codes = Array.from({ length: count - created }, newVoucherCode);
      const rows = codes.map((code) => ({ code, code_key: codeKey(code) }));
      created += await insertCodes(tx, caller.businessId, voucher_id, rows);
    }
    audit({ before: { voucher_id }, after: { voucher_id, created } });
    return { voucher_id, created };
  },
});
