import { fields, readOperation } from "../../../contract/declare.ts";
import { vouchers } from "../../../database/catalog.ts";
import { checkLocation } from "../../../domain/access/access.ts";
import { partnerVoucher, pick } from "../../records.ts";

export const getVoucher = readOperation({
  path: "/sp/vouchers/get",
  scope: "wa.vouchers.read",
  summary: "Get a voucher",
  message: "Voucher found.",
  description: "Returns one voucher definition, archived or not.",
  input: { voucher_id: fields.voucherId },
  output: partnerVoucher,
  errors: ["voucher_not_found", "sp_location_not_allowed"],
  async read({ services, caller, input, reject }) {
    const voucher = await vouchers.find(services.lookUps, caller.businessId, input.voucher_id);
    if (voucher === undefined) return reject("voucher_not_found");
    return checkLocation(caller.locations, voucher.location_id) ?? pick(voucher, partnerVoucher);
  },
});
