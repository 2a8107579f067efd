import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { hashSecret, newClientId, newClientSecret } from "../../../credentials/keys.ts";
import { insertIntegration, insertSecret } from "../../../database/access/integrations.ts";
import {
  checkLocationGrant,
  checkSandboxScope,
  clientSecret,
  integration,
  integrationFields,
} from "../../access/integrations.ts";
import { changesOf, rejectMissingLocations } from "../../records.ts";

export const createIntegration = writeOperation({
  path: "/op/integrations/create",
  role: "manager",
  sensitive: true,
  event: "integration.created",
  status: 201,
  confidential: true,
  summary: "Create an integration",
  message: "Integration created.",
  description:
    "Creates an integration with some scopes and locations, and returns its client_id and client_secret. The service " +
    "stores only a hash of the secret, so keep the secret safe. Send all_locations or location_ids, not both.",
  input: {
    business_id: fields.businessId,
    ...changesOf(integrationFields),
    name: integrationFields.name,
    scopes: integrationFields.scopes,
  },
  output: Type.Object({
    ...integration.properties,
    client_secret: clientSecret,
  }),
  errors: ["location_not_found", "validation_failed"],
  check: (input, context) => checkLocationGrant(input, "required", context),
  async write({ input, tx, caller, audit }) {
    const { name, scopes, all_locations = false, location_ids = [] } = input;
    const rejected = await checkSandboxScope(tx, caller.businessId, input.scopes);
    if (rejected !== undefined) return rejected;
    const missing = await rejectMissingLocations(tx, caller.businessId, location_ids);
    if (missing !== undefined) return missing;
    const secret = newClientSecret();
    const grant = { name, scopes, all_locations, location_ids };
    const made = await insertIntegration(tx, caller, newClientId(), grant);
    await insertSecret(tx, caller.businessId, made.integration_id, hashSecret(secret));
    audit({ before: null, after: made });
    return { ...made, client_secret: secret };
  },
});
