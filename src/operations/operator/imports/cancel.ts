import { fields, Rejection, writeOperation } from "../../../contract/declare.ts";
import { cancelJob } from "../../../database/import-jobs.ts";
import { type ImportState, importStates } from "../../../domain/imports/jobs.ts";
import { changedImport, importId, lockImport } from "../../imports/import-jobs.ts";

const over: readonly ImportState[] = ["ended", "cancelled"];
const states = importStates.filter((state) => !over.includes(state));

export const cancelImport = writeOperation({
  path: "/op/imports/cancel",
  role: "manager",
  event: "import.cancelled",
  summary: "Cancel an import",
  description:
    "Stops the job that checks or imports a file, after the lines that are under way. What is imported stays. An import that had " +
    "started goes on with the lines behind after /op/imports/start.",
  message: "The import is cancelled.",
  input: { business_id: fields.businessId, import_id: importId },
  output: changedImport,
  errors: ["import_not_found", "import_not_ready"],
  async write({ input: { import_id }, tx, caller, audit }) {
    const key = { business_id: caller.businessId, import_id };
    const job = await lockImport(tx, key, states);
    if (job instanceof Rejection) return job;
    const { state, lines_done } = job;
    await cancelJob(tx, key);
    audit({ before: { import_id, state }, after: { import_id, state: "cancelled", lines_done } });
    return { import_id, state: "cancelled" as const };
  },
});
