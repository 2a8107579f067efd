import { fields, writeOperation } from "../../../contract/declare.ts";
import { locations } from "../../../database/catalog.ts";
import * as operator from "../../operator-fields.ts";

export const updateLocation = writeOperation({
  path: "/op/locations/update",
  event: "location.updated",
  summary: "Update a location",
  description: "Renames a location.",
  message: "Location updated.",
  input: {
    business_id: fields.businessId,
    location_id: operator.locationId,
    name: operator.locationName,
  },
  output: operator.location,
  errors: ["location_not_found"],
  async write({ input: { location_id, name }, tx, caller, audit, fail }) {
    const before = await locations.lock(tx, caller.businessId, location_id);
    if (before === undefined) return fail("location_not_found", { location_ids: [location_id] });
    await locations.change(tx, caller.businessId, location_id, { name });
    const after = { location_id, name };
    audit({ before, after });
    return after;
  },
});
