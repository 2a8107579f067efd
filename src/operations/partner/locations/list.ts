import { isOpen } from "../../../database/catalog.ts";
import { locations, partnerLocation } from "../../records.ts";

export const listLocationsForPartner = locations.list({
  path: "/sp/locations/list",
  scope: "wa.locations.read",
  summary: "List locations",
  message: "Locations listed.",
  description:
    "Lists the locations that the integration may use, newest first, without those that are closed.",
  output: partnerLocation,
  which: isOpen,
});
