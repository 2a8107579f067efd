import { locationFields, locations } from "../../records.ts";

export const updateLocation = locations.update({
  path: "/op/locations/update",
  role: "manager",
  event: "location.updated",
  summary: "Update a location",
  message: "Location updated.",
  description: "Renames a location.",
  input: locationFields,
});
