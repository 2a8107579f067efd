import { listOperation } from "../../../contract/declare.ts";
import { listRejectedRequests } from "../../../database/requests.ts";
import { checkRequestFilter, rejectedFilters, rejectedRequest } from "../../requests.ts";

export const listOwnRequests = listOperation({
  path: "/sp/requests/list",
  scope: "wa.requests.read",
  summary: "List rejected requests",
  description:
    "Lists the requests of the integration that were rejected or failed, newest first: when, which operation, with which error code and " +
    "which fields. It has no values that were sent. Requests are kept for 7 days, and at most 10,000 of them.",
  input: rejectedFilters,
  output: rejectedRequest,
  check: checkRequestFilter,
  async list({ sql, services, caller: { businessId, integrationId }, input, page }) {
    await services.requestsWritten();
    return listRejectedRequests(sql, businessId, { ...input, integration_id: integrationId }, page);
  },
});
