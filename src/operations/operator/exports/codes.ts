import { fields, Type } from "../../../contract/declare.ts";
import { exportCodes } from "../../../database/engine/rewards/voucher-codes.ts";
import { exportOperation } from "../../exports.ts";

const nullable = fields.nullable;

export const exportCodesOperation = exportOperation({
  rows: "codes",
  noun: "codes",
  returns:
    "the unique codes of vouchers with the members who claimed them, in the order in which they were made",
  row: Type.Object({
    code_id: fields.identifier("The number of the code.", 1),
    code: fields.text(64, "The code.", "K7QD-3MVX-9TRB"),
    voucher_id: fields.voucherId,
    created_at: fields.timestamp,
    held_voucher_id: nullable(
      fields.heldVoucherId,
      "The voucher that it has claimed; null: it was not used.",
      null,
    ),
    contact_id: nullable(fields.contactId, "The member who has this voucher; null without one.", null),
    claimed_at: nullable(fields.timestamp, "When it was claimed; null if it was not.", null),
    status: nullable(
      fields.choice(["held", "redeemed", "lapsed", "returned"], "The status of the voucher."),
      "The status of this voucher; null without one.",
      null,
    ),
  }),
  key: "code_id",
  read: exportCodes,
});
