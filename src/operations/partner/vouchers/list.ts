import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listHeldVouchers } from "../../../database/engine/rewards/vouchers.ts";
import * as shared from "../../sales/sales.ts";
import { coveredOrNull, heldTermFields, showTerms } from "../../vouchers/voucher-definitions.ts";

const statuses = ["held", "redeemed", "lapsed", "returned"] as const;
const status = (description: string) => fields.choice(statuses, description);

export const listVouchersOfMember = listOperation({
  path: "/sp/vouchers/list",
  scope: "wa.vouchers.read",
  summary: "List a member's vouchers",
  message: "Vouchers listed.",
  description:
    "Lists the vouchers that were issued to a member, newest first. An integration limited to some locations sees those that " +
    "are good at one of them or everywhere.",
  operator: {
    path: "/op/vouchers/held",
    role: "viewer",
    summary: "List the vouchers of a member",
    description: "Lists the vouchers that were issued to a member, newest first.",
  },
  columns: ["held_voucher_id", "coupon_code", "coupon_value", "status", "valid_through"],
  input: { contact_id: fields.contactId, status: Type.Optional(status("Only vouchers with this status.")) },
  output: Type.Object({
    held_voucher_id: fields.heldVoucherId,
    voucher_id: fields.voucherId,
    campaign_name: fields.campaignName,
    coupon_code: fields.couponCode,
    coupon_value: fields.couponValue,
    ...heldTermFields,
    location_id: fields.nullable(
      fields.locationId,
      "The only location where it is good; null: everywhere.",
      null,
    ),
    status: status(
      "held: it can be used. returned: it was given back with the points or the sale for which the member had got it.",
    ),
    issued_on: fields.day("The day on which it was issued."),
    valid_through: shared.nullableDay("The last day on which it can be used; null if it does not lapse."),
    redeemed_at: fields.nullable(fields.timestamp, "When it was used; null if it was not.", null),
    sale_id: fields.nullable(
      fields.saleId,
      "The sale that it paid a part of; null without one, and for a sale at a location that the integration may not use.",
      null,
    ),
    covered: coveredOrNull,
  }),
  errors: ["member_not_found"],
  async list({ sql, services, caller, input, page, reject }) {
    const wanted = { businessId: caller.businessId, contactId: input.contact_id };
    const member = await services.members.find(services.lookUps, wanted);
    if (member === undefined) return reject("member_not_found");
    const { contact_id: contactId, today } = member;
    const filter = { contactId, status: input.status, today };
    const listed = await listHeldVouchers({ sql, scans: services.scans }, caller, filter, page);
    return { ...listed, rows: listed.rows.map(({ terms, ...row }) => ({ ...row, ...showTerms(terms) })) };
  },
});
