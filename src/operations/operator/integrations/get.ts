import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findIntegrationRecord, listSecrets } from "../../../database/access/integrations.ts";
import { integration, secretTimes } from "../../access/integrations.ts";

export const getIntegration = readOperation({
  path: "/op/integrations/get",
  role: "viewer",
  summary: "Get an integration",
  message: "Integration found.",
  description: "Returns one integration, with the creation and expiry times of its secrets.",
  input: { business_id: fields.businessId, integration_id: fields.integrationId },
  output: Type.Object({ ...integration.properties, secrets: secretTimes }),
  errors: ["integration_not_found"],
  async read({ sql, caller, input: { integration_id }, reject }) {
    const found = await findIntegrationRecord(sql, caller, integration_id);
    if (found === undefined) return reject("integration_not_found");
    return { ...found, secrets: await listSecrets(sql, integration_id, caller.timeZone) };
  },
});
