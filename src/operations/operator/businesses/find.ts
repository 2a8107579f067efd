import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findBusinessesOf } from "../../../database/access/businesses.ts";
import { business } from "../../access/businesses.ts";
import { tierId } from "../../members/members.ts";
import { locationId } from "../../records.ts";

export const findBusinessesOperation = readOperation({
  path: "/op/businesses/find",
  role: "viewer",
  summary: "Find a business, or the business of a record",
  description:
    "Finds a business by its id, or the business of a record. With several fields, it finds the business that has all of these " +
    "records. If no business has them, the list is empty.",
  message: "Businesses found.",
  input: {
    business_id: Type.Optional(fields.businessId),
    contact_id: Type.Optional(fields.contactId),
    integration_id: Type.Optional(fields.integrationId),
    location_id: Type.Optional(locationId),
    tier_id: Type.Optional(tierId),
    program_id: Type.Optional(fields.programId),
    voucher_id: Type.Optional(fields.voucherId),
    benefit_id: Type.Optional(fields.benefitId),
    promotion_id: Type.Optional(fields.promotionId),
    stamp_card_id: Type.Optional(fields.stampCardId),
  },
  atLeastOne: true,
  output: Type.Array(business, { maxItems: 10, description: "The business." }),
  read: ({ sql, caller, input }) => findBusinessesOf(sql, caller.operator?.business_ids ?? null, input),
});
