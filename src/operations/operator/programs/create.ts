import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { programs } from "../../../database/catalog.ts";
import { program, programFields, rateFields } from "../../catalog-fields.ts";

export const createProgram = writeOperation({
  path: "/op/programs/create",
  event: "program.created",
  status: 201,
  summary: "Create a reward program",
  description:
    "Creates a reward program: the rate by which sales earn points, and the most points that one order earns. Without a rate it " +
    "earns nothing. Members earn by it once it is the default program (/op/reward-settings/rules/update).",
  message: "Reward program created.",
  input: {
    business_id: fields.businessId,
    ...programFields,
    earn_points: Type.Optional({ ...rateFields.earn_points, default: 0 }),
    earn_amount: Type.Optional({ ...rateFields.earn_amount, default: 100 }),
    earn_minimum_amount: Type.Optional({ ...rateFields.earn_minimum_amount, default: 0 }),
  },
  output: program,
  async write({ input, tx, caller, audit }) {
    const { membership_name, maximum_points_per_order } = input;
    const { earn_points = 0, earn_amount = 100, earn_minimum_amount = 0 } = input;
    const rate = { earn_points, earn_amount, earn_minimum_amount };
    const program = { membership_name, maximum_points_per_order, ...rate };
    const made = await programs.insert(tx, caller.businessId, program);
    audit({ before: null, after: made });
    return made;
  },
});
