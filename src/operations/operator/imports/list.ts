import { fields, listOperation } from "../../../contract/declare.ts";
import { listJobs } from "../../../database/imports/jobs.ts";
import { deletedAfter, importInList } from "../../imports/import-jobs.ts";
import { pick } from "../../records.ts";

export const listImports = listOperation({
  path: "/op/imports/list",
  role: "manager",
  summary: "List imports",
  description: `Lists the files that were uploaded, newest first. ${deletedAfter}`,
  message: "Imports listed.",
  columns: ["import_id", "file_name", "kind", "state", "lines_done", "created_at"],
  input: { business_id: fields.businessId },
  output: importInList,
  async list({ sql, caller, page }) {
    const listed = await listJobs(sql, caller.businessId, caller.timeZone, page);
    return { ...listed, rows: listed.rows.map((row) => pick(row, importInList)) };
  },
});
