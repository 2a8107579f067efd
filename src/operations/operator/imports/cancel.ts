import { fields, writeOperation } from "../../../contract/declare.ts";
import { cancelJob, lockJob } from "../../../database/import-jobs.ts";
import { type ImportState, importStates } from "../../../domain/import-jobs.ts";
import { changed, changedImport, importId } from "../../import-jobs.ts";

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
  async write({ input: { import_id }, tx, caller, audit, reject }) {
    const key = { business_id: caller.businessId, import_id };
    const job = await lockJob(tx, key);
    if (job === undefined) return reject("import_not_found");
    const { state, lines_done } = job;
    if (!states.includes(state)) return reject("import_not_ready", { state });
    await cancelJob(tx, key);
    audit({ before: { import_id, state }, after: { import_id, state: "cancelled", lines_done } });
    return changed(key, "cancelled");
  },
});
