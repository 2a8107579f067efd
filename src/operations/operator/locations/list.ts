import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { listOperation } from "../../../contract/operation.ts";
import { listLocations } from "../../../database/access/locations.ts";
import * as operator from "../../operator-fields.ts";

export const listLocationsOperation = listOperation({
  path: "/op/locations/list",
  summary: "List locations",
  description: "The locations of a business, in the order they were made.",
  message: "Locations listed.",
  input: Type.Object({ business_id: fields.businessId }),
  output: operator.location,
  list: ({ sql, caller, page }) => listLocations(sql, caller.businessId, page),
});
