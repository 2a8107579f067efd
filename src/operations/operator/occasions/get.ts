import { readOccasions } from "../../promotions/occasions.ts";

export const getOccasion = readOccasions.get({
  path: "/op/occasions/get",
  summary: "Get an occasion",
  message: "Occasion found.",
  description: "Returns one occasion, also one that has ended.",
});
