import { locations } from "../../records.ts";

export const listLocations = locations.list({
  path: "/op/locations/list",
  summary: "List locations",
  description: "The locations of a business, in the order they were made.",
  message: "Locations listed.",
});
