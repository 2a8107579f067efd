import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { updateBusiness } from "../../../database/access/businesses.ts";
import * as operator from "../../operator-fields.ts";

export const updateBusinessOperation = writeOperation({
  path: "/op/businesses/update",
  event: "business.updated",
  summary: "Update a business",
  description:
    "Changes the name, time zone or currency of a business. What is omitted stays. Amounts are not converted: " +
    "another currency gives those recorded so far another meaning.",
  message: "Business updated.",
  input: {
    business_id: fields.businessId,
    name: Type.Optional(operator.businessName),
    time_zone: Type.Optional(operator.timeZone),
    currency: Type.Optional(operator.currency),
  },
  atLeastOne: true,
  output: operator.business,
  errors: ["business_not_found", "validation_failed"],
  check: operator.checkBusiness,
  async write({ input, tx, audit, fail }) {
    const refused = await operator.checkTimeZoneIn(tx, input.time_zone);
    if (refused !== undefined) return refused;
    const updated = await updateBusiness(tx, input.business_id, input);
    if (updated === undefined) return fail("business_not_found");
    audit(updated);
    return updated.after;
  },
});
