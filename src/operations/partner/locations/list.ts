import { locations } from "../../records.ts";

export const listLocationsForPartner = locations.list({
  path: "/sp/locations/list",
  scope: "wa.locations.read",
  summary: "List locations",
  message: "Locations listed.",
  description: "Lists the locations that the integration may use, newest first.",
});
