import { programs } from "../../records.ts";

export const listProgramsOperation = programs.list({
  path: "/op/programs/list",
  role: "viewer",
  summary: "List reward programs",
  message: "Reward programs listed.",
  description: "Lists the reward programs of a business, in the order in which they were created.",
  columns: [
    ...["program_id", "membership_name", "maximum_points_per_order"],
    ...["earn_points", "earn_amount", "earn_minimum_amount"],
  ],
});
