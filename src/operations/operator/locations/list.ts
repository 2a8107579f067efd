import { locations } from "../../records.ts";

export const listLocations = locations.list({
  path: "/op/locations/list",
  role: "viewer",
  summary: "List locations",
  message: "Locations listed.",
  description: "Lists the locations of a business, in the order in which they were created.",
});
