import { programs } from "../../records.ts";

export const deleteProgramForOperator = programs.remove({
  path: "/op/programs/delete",
  role: "manager",
  sensitive: true,
  event: "program.deleted",
  summary: "Delete a reward program",
  message: "Reward program deleted.",
  description:
    "Deletes a reward program. If it is the default program, the business has no default program afterwards, and sales " +
    "earn nothing from today on. Earned points don't change.",
  concernsEarning: true,
});
