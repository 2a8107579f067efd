import { locationFields, locations } from "../../records.ts";

export const createLocation = locations.create(
  {
    path: "/op/locations/create",
    role: "manager",
    event: "location.created",
    summary: "Create a location",
    message: "Location created.",
    description:
      "Creates a location of a business. Integrations that may use all locations may use it immediately.",
    input: locationFields,
  },
  { closed: false },
);
