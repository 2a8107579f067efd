import { locationFields, locations } from "../../records.ts";

export const updateLocation = locations.update({
  path: "/op/locations/update",
  role: "manager",
  event: "location.updated",
  summary: "Update a location",
  description: "Renames a location.",
  input: locationFields,
});
