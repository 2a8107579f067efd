import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listRequestCounts } from "../../../database/requests.ts";
import { checkRequestFilter, requestCount, requestFilters } from "../../access/requests.ts";

export const countRequests = listOperation({
  path: "/op/requests/counts",
  role: "viewer",
  summary: "Count requests of partners",
  description:
    "Lists how many requests of a business's integrations succeeded, were rejected and failed, by hour and operation, newest first. " +
    "Counts are kept for 7 days.",
  message: "Requests counted.",
  input: {
    business_id: fields.businessId,
    integration_id: Type.Optional(fields.integrationId),
    ...requestFilters,
  },
  output: requestCount,
  check: checkRequestFilter,
  async list({ sql, services, caller: { businessId }, input, page }) {
    await services.requestsWritten();
    return listRequestCounts({ sql, scans: services.scans }, businessId, input, page);
  },
});
