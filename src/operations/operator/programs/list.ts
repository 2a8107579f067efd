import { programs } from "../../records.ts";

export const listProgramsOperation = programs.list({
  path: "/op/programs/list",
  summary: "List reward programs",
  description: "The reward programs of a business, in the order they were made.",
  message: "Reward programs listed.",
});
