import { Type } from "typebox";
import { writeOperation } from "../../../contract/operation.ts";
import { insertBusiness } from "../../../database/access/businesses.ts";
import * as operator from "../../operator-fields.ts";

export const createBusiness = writeOperation({
  path: "/op/businesses/create",
  scope: "operator",
  status: 201,
  summary: "Create a business",
  description: "Creates a business with an empty ledger and default reward settings.",
  message: "Business created.",
  input: Type.Object({
    name: operator.businessName,
    time_zone: Type.Optional(operator.timeZone),
    currency: operator.currency,
  }),
  output: operator.business,
  errors: ["validation_failed"],
  check: operator.checkBusiness,
  async write({ input: { name, time_zone = "UTC", currency }, tx, audit }) {
    const refused = await operator.checkTimeZoneIn(tx, time_zone);
    if (refused !== undefined) return refused;
    const business = { name, time_zone, currency };
    const business_id = await insertBusiness(tx, business);
    const made = { business_id, ...business };
    audit({ before: null, after: made, businessId: business_id });
    return made;
  },
});
