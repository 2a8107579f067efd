import { fields, listOperation } from "../../../contract/declare.ts";
import { listBulkGrants } from "../../../database/jobs/bulk-grants.ts";
import { bulkGrant } from "../../promotions/bulk-grants.ts";
import { pick } from "../../records.ts";

export const listBulkGrantsOperation = listOperation({
  path: "/op/bulk-grants/list",
  role: "viewer",
  summary: "List bulk grants",
  message: "Bulk grants listed.",
  description: "Lists what was given to many members at once, with how far the jobs have come, newest first.",
  columns: [
    "occasion_id",
    "name",
    "points",
    "voucher_id",
    "state",
    "members_found",
    "members_given",
    "members_skipped",
    "filters",
    "created_at",
  ],
  input: { business_id: fields.businessId },
  output: bulkGrant,
  async list({ sql, caller, page }) {
    const listed = await listBulkGrants(sql, caller, page);
    return { ...listed, rows: listed.rows.map((row) => pick(row, bulkGrant)) };
  },
});
