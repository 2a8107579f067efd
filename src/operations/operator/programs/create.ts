import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { insertProgram } from "../../../database/catalog/rewards.ts";
import * as operator from "../../operator-fields.ts";

export const createProgram = writeOperation({
  path: "/op/programs/create",
  scope: "operator",
  status: 201,
  summary: "Create a reward program",
  description: "Creates a reward program with the most points that one order earns.",
  message: "Reward program created.",
  input: Type.Object({
    business_id: fields.businessId,
    membership_name: fields.membershipName,
    maximum_points_per_order: fields.maximumPointsPerOrder,
  }),
  output: operator.program,
  errors: [],
  async write({ input: { membership_name, maximum_points_per_order }, tx, caller, audit }) {
    const made = await insertProgram(tx, caller.businessId, { membership_name, maximum_points_per_order });
    audit({ before: null, after: made });
    return made;
  },
});
