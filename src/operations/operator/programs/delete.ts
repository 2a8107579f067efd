import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { deleteProgram, programs } from "../../../database/catalog.ts";

export const deleteProgramForOperator = writeOperation({
  path: "/op/programs/delete",
  event: "program.deleted",
  summary: "Delete a reward program",
  description:
    "Deletes a reward program. If it is the default program, the business has none, and sales earn nothing from today on. Points " +
    "that were earned stay.",
  message: "Reward program deleted.",
  input: { business_id: fields.businessId, program_id: fields.programId },
  output: Type.Object({
    program_id: fields.programId,
    deleted: fields.flag("Always true.", true),
  }),
  errors: ["program_not_found"],
  async write({ input: { program_id }, tx, caller, audit, fail }) {
    const before = await programs.lock(tx, caller.businessId, program_id);
    if (before === undefined) return fail("program_not_found");
    await deleteProgram(tx, caller.businessId, program_id);
    audit({ before, after: null });
    return { program_id, deleted: true };
  },
});
