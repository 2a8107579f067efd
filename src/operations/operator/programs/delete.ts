import { programs } from "../../records.ts";

export const deleteProgramForOperator = programs.remove({
  path: "/op/programs/delete",
  event: "program.deleted",
  summary: "Delete a reward program",
  description:
    "Deletes a reward program. If it is the default program, the business has none, and sales earn nothing from today on. Points " +
    "that were earned stay.",
  message: "Reward program deleted.",
});
