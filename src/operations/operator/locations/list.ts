import { fields, listOperation } from "../../../contract/declare.ts";
import { locations } from "../../../database/catalog.ts";
import * as operator from "../../operator-fields.ts";

export const listLocationsOperation = listOperation({
  path: "/op/locations/list",
  summary: "List locations",
  description: "The locations of a business, in the order they were made.",
  message: "Locations listed.",
  input: { business_id: fields.businessId },
  output: operator.location,
  list: ({ sql, caller, page }) => locations.page(sql, caller.businessId, page),
});
