import { changesOf, programFields, programs, rateFields } from "../../records.ts";

export const updateProgramForOperator = programs.update({
  path: "/op/programs/update",
  event: "program.updated",
  summary: "Update a reward program",
  description:
    "Changes the rate, the name or the cap of a reward program. What is omitted stays. Sales from today on earn by it; refunds " +
    "use the rate that the sale was recorded with.",
  message: "Reward program updated.",
  input: changesOf({ ...programFields, ...rateFields }),
});
