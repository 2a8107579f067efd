import { fields, readOperation } from "../../../contract/declare.ts";
import { findJob, listRejections } from "../../../database/imports/jobs.ts";
import { mostRejectedLines } from "../../../domain/imports/jobs.ts";
import { exportAfter } from "../../exports.ts";
import { importId } from "../../imports/import-jobs.ts";
import { mostAtOnce, rejectedLines } from "../../imports/rejected-lines.ts";

export const listRejectedLines = readOperation({
  path: "/op/imports/rejected",
  role: "manager",
  summary: "Get the rejected lines of an import",
  description:
    "Returns the lines of a file that are rejected, with their reasons and their bytes in the file, so that you can fix and import " +
    `them. Up to ${mostRejectedLines.toLocaleString("en")} lines of a file are kept. Repeat the request with next_after_line as ` +
    "after_line until it is null.",
  message: "Rejected lines found.",
  input: {
    business_id: fields.businessId,
    import_id: importId,
    after_line: exportAfter("Only lines after this one."),
    limit: fields.wholeOr(mostAtOnce, 1, mostAtOnce, "The maximum number of lines."),
  },
  output: rejectedLines,
  errors: ["import_not_found"],
  async read({ input, sql, caller, reject }) {
    const { import_id, after_line = 0, limit = mostAtOnce } = input;
    const key = { business_id: caller.businessId, import_id };
    const job = await findJob(sql, key, caller.timeZone);
    if (job === undefined) return reject("import_not_found");
    const rows = await listRejections(sql, key, after_line, limit);
    return {
      header: job.form?.header_line ?? null,
      lines: rows.map(({ line, reasons, content }) => {
        return { line, reasons: [...reasons], line_bytes: content.toString("base64") };
      }),
      // Long lines can leave room for fewer than the limit.
      next_after_line: rows.at(-1)?.line ?? null,
    };
  },
});
