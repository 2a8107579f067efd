import { fields, listOperation } from "../../../contract/declare.ts";
import { listIntegrations } from "../../../database/access/integrations.ts";
import { integration } from "../../access/integrations.ts";

export const listIntegrationsOperation = listOperation({
  path: "/op/integrations/list",
  role: "viewer",
  summary: "List integrations",
  message: "Integrations listed.",
  description: "Lists the integrations of a business, newest first, without their secrets.",
  columns: ["integration_id", "name", "client_id", "enabled", "created_at"],
  input: { business_id: fields.businessId },
  output: integration,
  list: ({ sql, caller, page }) => listIntegrations(sql, caller, page),
});
