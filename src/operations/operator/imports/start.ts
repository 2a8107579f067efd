import { fields, Rejection, writeOperation } from "../../../contract/declare.ts";
import { startJob } from "../../../database/imports/jobs.ts";
import type { ImportState } from "../../../domain/imports/jobs.ts";
import { changedImport, importId, lockImport } from "../../imports/import-jobs.ts";

const states: readonly ImportState[] = ["checked", "cancelled", "failed"];

export const startImport = writeOperation({
  path: "/op/imports/start",
  role: "manager",
  event: "import.started",
  summary: "Import a file that was checked",
  description:
    "Starts a job that imports the lines of a file, as it was checked. Valid lines are imported, a line that was imported before is " +
    "skipped, and the others are listed by /op/imports/rejected. The job goes on when the service restarts. An import that was " +
    "cancelled, or has failed, goes on where it was.",
  message: "The import has started.",
  input: { business_id: fields.businessId, import_id: importId },
  output: changedImport,
  errors: ["import_not_found", "import_not_ready"],
  async write({ input: { import_id }, tx, caller, audit, reject }) {
    const key = { business_id: caller.businessId, import_id };
    const job = await lockImport(tx, key, states);
    if (job instanceof Rejection) return job;
    const { state, form, imports } = job;
    // A check that did not end does not know how many lines there are.
    if (typeof form?.lines !== "number") return reject("import_not_ready", { state });
    await startJob(tx, key, caller.actor, !imports);
    audit({ before: null, after: null });
    return { import_id, state: "importing" as const };
  },
});
