import { programs } from "../../records.ts";

export const listProgramsOperation = programs.list({
  path: "/op/programs/list",
  role: "viewer",
  summary: "List reward programs",
  message: "Reward programs listed.",
  description: "Lists the reward programs of a business, in the order in which they were created.",
});
