import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listRejectedRequests } from "../../../database/requests.ts";
import { checkRequestFilter, rejectedFilters, rejectedRequest } from "../../access/requests.ts";

export const listOwnRequests = listOperation({
  path: "/sp/requests/list",
  scope: "wa.requests.read",
  summary: "List rejected requests",
  message: "Rejected requests listed.",
  description:
    "Lists the requests of the integration that were rejected or failed, and late replays, newest first. It has no values that were sent. " +
    "Requests are kept for 7 days, and at most 10,000 of them.",
  operator: {
    role: "viewer",
    summary: "List rejected requests of partners",
    description:
      "Lists the requests of a business's integrations that were rejected or failed, and late replays, newest first. It has no values that " +
      "were sent. Of each integration, requests are kept for 7 days, and at most 10,000 of them.",
    columns: ["requested_at", "integration_id", "operation", "status", "error_code", "field_errors"],
    input: { integration_id: Type.Optional(fields.integrationId) },
  },
  input: rejectedFilters,
  output: rejectedRequest,
  check: checkRequestFilter,
  async list({ sql, services, caller: { businessId, integrationId }, input, page }) {
    await services.requestsWritten();
    // An operator's input can name an integration.
    const wanted = integrationId === undefined ? input : { ...input, integration_id: integrationId };
    return listRejectedRequests({ sql, scans: services.scans }, businessId, wanted, page);
  },
});
