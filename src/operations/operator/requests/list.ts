import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listRejectedRequests } from "../../../database/requests.ts";
import { checkRequestFilter, rejectedFilters, rejectedRequest } from "../../requests.ts";

export const listRequests = listOperation({
  path: "/op/requests/list",
  role: "viewer",
  summary: "List rejected requests of partners",
  description:
    "Lists the requests of a business's integrations that were rejected or failed, newest first: when, which operation, with which error " +
    "code and which fields. It has no values that were sent. Of each integration, requests are kept for 7 days, and at most 10,000 of " +
    "them.",
  message: "Rejected requests listed.",
  columns: ["requested_at", "integration_id", "operation", "status", "error_code", "field_errors"],
  input: {
    business_id: fields.businessId,
    integration_id: Type.Optional(fields.integrationId),
    ...rejectedFilters,
  },
  output: rejectedRequest,
  check: checkRequestFilter,
  async list({ sql, services, caller: { businessId }, input, page }) {
    await services.requestsWritten();
    return listRejectedRequests(sql, businessId, input, page);
  },
});
