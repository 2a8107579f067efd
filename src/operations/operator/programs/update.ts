import { changesOf, earningFields, programFields, programs } from "../../records.ts";
import { checkRates, ratedFields } from "../../rules/program-rates.ts";

export const updateProgramForOperator = programs.update({
  path: "/op/programs/update",
  role: "manager",
  event: "program.updated",
  summary: "Update a reward program",
  message: "Reward program updated.",
  description:
    "Changes the rates, the name, the maximum points per order or the excluded lines of a reward program. Fields that you " +
    "omit don't change. The new rate applies to sales from today on. Refunds use the rate of the sale.",
  concernsEarning: true,
  maximumFields: ratedFields,
  check: checkRates,
  input: changesOf({ ...programFields, ...earningFields }),
});
