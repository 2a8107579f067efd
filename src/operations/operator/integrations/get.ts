import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findIntegrationRecord, listSecrets } from "../../../database/access/integrations.ts";
import { integration } from "../../integrations.ts";

/** The times of a secret. The secret itself is never returned. */
const secret = Type.Object({
  created_at: fields.timestamp,
  expires_at: fields.nullable(
    fields.timestamp,
    "The time until which the secret is valid; null for the newest.",
  ),
});

export const getIntegration = readOperation({
  path: "/op/integrations/get",
  role: "viewer",
  summary: "Get an integration",
  description: "Returns one integration, with the creation and expiry times of its secrets.",
  input: { business_id: fields.businessId, integration_id: fields.integrationId },
  output: Type.Object({
    ...integration.properties,
    secrets: Type.Array(secret, {
      maxItems: 2,
      description:
        "The secrets that are valid now, newest first. There are two while a new secret replaces the old one.",
    }),
  }),
  errors: ["integration_not_found"],
  async read({ sql, caller, input: { integration_id }, fail }) {
    const found = await findIntegrationRecord(sql, caller, integration_id);
    if (found === undefined) return fail("integration_not_found");
    return { ...found, secrets: await listSecrets(sql, integration_id, caller.timeZone) };
  },
});
