import { bulkGrantStep } from "../../promotions/bulk-grants.ts";

export const cancelBulkGrant = bulkGrantStep(
  {
    path: "/op/bulk-grants/cancel",
    event: "bulk_grant.cancelled",
    summary: "Cancel a bulk grant",
    message: "Bulk grant cancelled.",
    description: "Stops the job after the members that are under way. Members keep what they got.",
  },
  ["running"],
  "cancelled",
);
