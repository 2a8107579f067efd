import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { lockProgram, updateProgram } from "../../../database/catalog/rewards.ts";
import * as operator from "../../operator-fields.ts";

export const updateProgramForOperator = writeOperation({
  path: "/op/programs/update",
  scope: "operator",
  event: "program.updated",
  status: 200,
  summary: "Update a reward program",
  description:
    "Changes the rate, the name or the cap of a reward program. What is omitted stays. Sales from today on earn by it; refunds " +
    "use the rate that the sale was recorded with.",
  message: "Reward program updated.",
  input: Type.Object({
    business_id: fields.businessId,
    program_id: fields.programId,
    membership_name: Type.Optional(fields.membershipName),
    maximum_points_per_order: Type.Optional(fields.maximumPointsPerOrder),
    earn_points: Type.Optional(operator.earnPoints),
    earn_amount: Type.Optional(operator.earnAmount),
    earn_minimum_amount: Type.Optional(operator.earnMinimumAmount),
  }),
  atLeastOneOf: [
    "membership_name",
    "maximum_points_per_order",
    "earn_points",
    "earn_amount",
    "earn_minimum_amount",
  ],
  output: operator.program,
  errors: ["program_not_found"],
  async write({ input: { business_id: _, program_id, ...change }, tx, caller, audit, fail }) {
    const before = await lockProgram(tx, caller.businessId, program_id);
    const after = await updateProgram(tx, caller.businessId, program_id, change);
    if (before === undefined || after === undefined) return fail("program_not_found");
    audit({ before, after });
    return after;
  },
});
