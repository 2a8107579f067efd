import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { updateBusiness } from "../../../database/access/businesses.ts";
import {
  business,
  businessName,
  checkBusiness,
  currency,
  nullableCountry,
  timeZone,
} from "../../businesses.ts";

export const updateBusinessOperation = writeOperation({
  path: "/op/businesses/update",
  event: "business.updated",
  summary: "Update a business",
  description:
    "Changes the name, time zone, currency or country of a business. Fields that you omit don't change. Amounts are not " +
    "converted: if you change the currency, recorded amounts keep their numbers, and get the new currency and its decimals.",
  confirm: { currency: "Recorded amounts keep their numbers, and get the new currency and its decimals." },
  input: {
    business_id: fields.businessId,
    name: Type.Optional(businessName),
    time_zone: Type.Optional(timeZone),
    currency: Type.Optional(currency),
    country: Type.Optional(nullableCountry),
  },
  atLeastOne: true,
  output: business,
  errors: ["business_not_found"],
  check: checkBusiness,
  async write({ input, tx, audit, fail }) {
    const updated = await updateBusiness(tx, input.business_id, input);
    if (updated === undefined) return fail("business_not_found");
    audit(updated);
    return updated.after;
  },
});
