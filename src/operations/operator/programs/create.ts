import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { insertProgram } from "../../../database/catalog/rewards.ts";
import * as operator from "../../operator-fields.ts";

export const createProgram = writeOperation({
  path: "/op/programs/create",
  scope: "operator",
  event: "program.created",
  status: 201,
  summary: "Create a reward program",
  description:
    "Creates a reward program: the rate by which sales earn points, and the most points that one order earns. Without a rate it " +
    "earns nothing. Members earn by it once it is the default program (/op/reward-settings/rules/update).",
  message: "Reward program created.",
  input: Type.Object({
    business_id: fields.businessId,
    membership_name: fields.membershipName,
    maximum_points_per_order: fields.maximumPointsPerOrder,
    earn_points: Type.Optional({ ...operator.earnPoints, default: 0 }),
    earn_amount: Type.Optional({ ...operator.earnAmount, default: 100 }),
    earn_minimum_amount: Type.Optional({ ...operator.earnMinimumAmount, default: 0 }),
  }),
  output: operator.program,
  errors: [],
  async write({ input, tx, caller, audit }) {
    const { membership_name, maximum_points_per_order } = input;
    const { earn_points = 0, earn_amount = 100, earn_minimum_amount = 0 } = input;
    const rate = { earn_points, earn_amount, earn_minimum_amount };
    const made = await insertProgram(tx, caller.businessId, {
      membership_name,
      maximum_points_per_order,
      ...rate,
    });
    audit({ before: null, after: made });
    return made;
  },
});
