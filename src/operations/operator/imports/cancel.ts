import { fields, Rejection, writeOperation } from "../../../contract/declare.ts";
import { cancelJob, deleteFile } from "../../../database/imports/jobs.ts";
import { importStates, isRunning } from "../../../domain/imports/jobs.ts";
import { changedImport, importId, lockImport } from "../../imports/import-jobs.ts";
import { auditImport } from "../../imports/import-runs.ts";

const states = importStates.filter((state) => state !== "ended");

export const cancelImport = writeOperation({
  path: "/op/imports/cancel",
  role: "manager",
  event: "import.cancelled",
  summary: "Cancel an import",
  description:
    "Stops the job that checks or imports a file, after the lines that are under way. What is imported stays. An import that had " +
    "started goes on with the lines behind after /op/imports/start. If no job works on the file, and no import of it can go on, its " +
    "bytes, what was found in it and its rejected lines are deleted.",
  message: "The import is cancelled.",
  confirm:
    "If no import of the file can go on, the file and its rejected lines are deleted. This can't be undone.",
  input: { business_id: fields.businessId, import_id: importId },
  output: changedImport,
  errors: ["import_not_found", "import_not_ready"],
  async write({ input: { import_id }, tx, caller, audit, reject }) {
    const key = { business_id: caller.businessId, import_id };
    const job = await lockImport(tx, key, states);
    if (job instanceof Rejection) return job;
    const { state, lines_done, parts, imports } = job;
    if (state === "cancelled" && (imports || parts === 0)) return reject("import_not_ready", { state });
    await cancelJob(tx, key);
    if (state === "importing") await auditImport(tx, key);
    // An import that had started goes on with its file.
    if (!isRunning(state) && !imports) await deleteFile(tx, key);
    audit({ before: { import_id, state }, after: { import_id, state: "cancelled", lines_done } });
    return { import_id, state: "cancelled" as const };
  },
});
