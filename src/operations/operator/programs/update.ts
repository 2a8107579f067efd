import { fields, writeOperation } from "../../../contract/declare.ts";
import { programs, updateProgram } from "../../../database/catalog.ts";
import { changesOf, program, programFields, rateFields } from "../../catalog-fields.ts";

const changed = { ...programFields, ...rateFields };

export const updateProgramForOperator = writeOperation({
  path: "/op/programs/update",
  event: "program.updated",
  summary: "Update a reward program",
  description:
    "Changes the rate, the name or the cap of a reward program. What is omitted stays. Sales from today on earn by it; refunds " +
    "use the rate that the sale was recorded with.",
  message: "Reward program updated.",
  input: {
    business_id: fields.businessId,
    program_id: fields.programId,
    ...changesOf(changed),
  },
  atLeastOne: true,
  output: program,
  errors: ["program_not_found"],
  async write({ input: { business_id: _, program_id, ...change }, tx, caller, audit, fail }) {
    const before = await programs.lock(tx, caller.businessId, program_id);
    const after = await updateProgram(tx, caller.businessId, program_id, change);
    if (before === undefined || after === undefined) return fail("program_not_found");
    audit({ before, after });
    return after;
  },
});
