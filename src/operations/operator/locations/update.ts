import { changesOf, locationFields, locationState, locations } from "../../records.ts";

export const updateLocation = locations.update({
  path: "/op/locations/update",
  role: "manager",
  event: "location.updated",
  summary: "Update a location",
  message: "Location updated.",
  description:
    "Renames a location, or closes it. Partners can't record anything at a closed location: their requests that name it are " +
    "rejected with sp_location_not_allowed. They can still read what was recorded there, and refund it at another location. " +
    "Operators can still correct and refund there, and open it again.",
  input: changesOf({ ...locationFields, ...locationState }),
});
