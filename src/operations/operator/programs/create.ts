import { Type } from "../../../contract/declare.ts";
import { programFields, programs, rateFields } from "../../records.ts";

const defaults = { earn_points: 0, earn_amount: 100, earn_minimum_amount: 0 };

export const createProgram = programs.create(
  {
    path: "/op/programs/create",
    role: "manager",
    event: "program.created",
    summary: "Create a reward program",
    description:
      "Creates a reward program: the rate at which sales earn points, and the maximum number of points that one order " +
      "earns. Without a rate, it earns nothing. The rate applies as soon as the program is the default program " +
      "(/op/reward-settings/rules/update).",
    concernsEarning: true,
    input: {
      ...programFields,
      earn_points: Type.Optional({ ...rateFields.earn_points, default: defaults.earn_points }),
      earn_amount: Type.Optional({ ...rateFields.earn_amount, default: defaults.earn_amount }),
      earn_minimum_amount: Type.Optional({
        ...rateFields.earn_minimum_amount,
        default: defaults.earn_minimum_amount,
      }),
    },
  },
  defaults,
);
