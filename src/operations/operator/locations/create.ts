import { fields, writeOperation } from "../../../contract/declare.ts";
import { locations } from "../../../database/catalog.ts";
import * as operator from "../../operator-fields.ts";

export const createLocation = writeOperation({
  path: "/op/locations/create",
  event: "location.created",
  status: 201,
  summary: "Create a location",
  description:
    "Creates a location of a business. Integrations that may use all locations may use it at once.",
  message: "Location created.",
  input: { business_id: fields.businessId, name: operator.locationName },
  output: operator.location,
  async write({ input: { name }, tx, caller, audit }) {
    const made = await locations.insert(tx, caller.businessId, { name });
    audit({ before: null, after: made });
    return made;
  },
});
