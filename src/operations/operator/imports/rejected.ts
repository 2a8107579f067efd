import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findJob, listRejections } from "../../../database/imports/jobs.ts";
import { mostRejectedLines } from "../../../domain/imports/jobs.ts";
import { balanceLimit } from "../../../domain/ledger.ts";
import { exportAfter } from "../../exports.ts";
import { importId } from "../../imports/import-jobs.ts";

const mostAtOnce = 1000;

const content = (description: string) =>
  fields.returnedText(6_000_000, description, "QzEsMjAyNi0wMi0zMCwxMi41MA==");

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
  output: Type.Object({
    header: fields.nullable(
      content("The header line, in base64."),
      "The header line, in base64, or null without one.",
    ),
    lines: Type.Array(
      Type.Object({
        line: fields.identifier("The number of the line in the file.", 17),
        reasons: Type.Array(
          Type.Object({
            field: fields.returnedText(100, "The invalid field; empty for the line as a whole.", "sold_at"),
            message: fields.returnedText(2000, "The reason.", "sold_at must not be in the future."),
          }),
          { maxItems: 100, description: "All reasons." },
        ),
        line_bytes: fields.personal(content("The bytes of the line in the file, in base64.")),
      }),
      { maxItems: mostAtOnce, description: "The lines, in their order." },
    ),
    next_after_line: fields.nullable(
      fields.whole(1, balanceLimit, "A line.", 17),
      "Send it as after_line to get the next lines; null at the end.",
    ),
  }),
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
