import { fields, readOperation } from "../../../contract/declare.ts";
import { findJob } from "../../../database/imports/jobs.ts";
import { deletedAfter, importId, importJob, importOf } from "../../imports/import-jobs.ts";

export const getImport = readOperation({
  path: "/op/imports/get",
  role: "manager",
  summary: "Get an import",
  description:
    "Returns how a file is written, what its lines come to, and what became of them. While a job reads the file, it returns what is " +
    `known so far. ${deletedAfter}`,
  message: "Import found.",
  input: { business_id: fields.businessId, import_id: importId },
  output: importJob,
  errors: ["import_not_found"],
  async read({ input: { import_id }, services, caller, reject }) {
    const key = { business_id: caller.businessId, import_id };
    const row = await findJob(services.lookUps, key, caller.timeZone);
    return row === undefined ? reject("import_not_found") : importOf(row);
  },
});
