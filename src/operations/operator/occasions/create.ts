import {
  newOccasion,
  newOccasionFields,
  occasionRecords,
  ofNewOccasion,
} from "../../promotions/occasions.ts";

export const createOccasion = occasionRecords.create(
  {
    path: "/op/occasions/create",
    role: "manager",
    event: "occasion.created",
    summary: "Create an occasion",
    message: "Occasion created.",
    description:
      "Creates an occasion, such as birthdays: each member gets points or a voucher on its day, from 06:00 in the business's time zone, " +
      "once a year. What is for joining or for reaching a tier, a member gets at once, but not by an import. It begins today, unless it is a draft, and gives nothing for earlier days.",
    input: newOccasionFields,
    ...ofNewOccasion,
  },
  newOccasion,
);
