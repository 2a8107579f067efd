import { bulkGrantStep } from "../../promotions/bulk-grants.ts";

export const resumeBulkGrant = bulkGrantStep(
  {
    path: "/op/bulk-grants/resume",
    event: "bulk_grant.resumed",
    summary: "Resume a bulk grant",
    message: "Bulk grant resumed.",
    description: "Lets a job that was cancelled, or has failed, go on where it was.",
  },
  ["cancelled", "failed"],
  "running",
);
