import { occasionChanges, occasionRecords, ofChangedOccasion } from "../../promotions/occasions.ts";

export const updateOccasion = occasionRecords.update({
  path: "/op/occasions/update",
  role: "manager",
  event: "occasion.updated",
  summary: "Update an occasion",
  message: "Occasion updated.",
  description:
    "Changes an occasion from its next day on. Fields that you omit don't change. Members keep what they got, with its dates.",
  input: occasionChanges,
  ...ofChangedOccasion,
});
