import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { updateProgram } from "../../../database/catalog.ts";
import { changesOf, programFields } from "../../catalog-fields.ts";

export const updateRewardProgram = writeOperation({
  path: "/sp/reward-programs/update",
  scope: "wa.rewards.write",
  summary: "Update a reward program",
  description: "Changes a program's name or the most points that one order earns. What is omitted stays.",
  message: "Reward program updated.",
  input: {
    program_id: fields.programId,
    ...changesOf(programFields),
  },
  atLeastOne: true,
  output: Type.Object({ program_id: fields.programId, ...programFields }),
  example: { program_id: 1, maximum_points_per_order: 500 },
  errors: ["program_not_found"],
  async write({ input: { program_id, ...change }, tx, caller, fail }) {
    const updated = await updateProgram(tx, caller.businessId, program_id, change);
    if (updated === undefined) return fail("program_not_found");
    const { membership_name, maximum_points_per_order } = updated;
    return { program_id, membership_name, maximum_points_per_order };
  },
});
