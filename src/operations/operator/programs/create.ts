import { newEarningFields, noRate, programFields, programs } from "../../records.ts";
import { checkRates, ratedFields } from "../../rules/program-rates.ts";

export const createProgram = programs.create(
  {
    path: "/op/programs/create",
    role: "manager",
    event: "program.created",
    summary: "Create a reward program",
    message: "Reward program created.",
    description:
      "Creates a reward program: the rate at which sales earn points, the maximum number of points that one order " +
      "earns, and the lines of receipts that earn nothing or by other rates. Without a rate, it earns nothing. The rate applies as soon as the program is the default program " +
      "(/op/reward-settings/rules/update).",
    concernsEarning: true,
    maximumFields: ratedFields,
    check: checkRates,
    input: { ...programFields, ...newEarningFields },
  },
  noRate,
);
