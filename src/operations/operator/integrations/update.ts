import { fields, writeOperation } from "../../../contract/declare.ts";
import { lockIntegration, updateIntegration } from "../../../database/access/integrations.ts";
import {
  checkLocationGrant,
  checkSandboxScope,
  integration,
  integrationFields,
} from "../../access/integrations.ts";
import { changesOf, rejectMissingLocations } from "../../records.ts";

export const updateIntegrationOperation = writeOperation({
  path: "/op/integrations/update",
  role: "manager",
  sensitive: true,
  event: "integration.updated",
  summary: "Update an integration",
  message: "Integration updated.",
  description:
    "Changes the name, scopes or locations of an integration. Fields that you omit don't change. A removed scope stops " +
    "working within five seconds. An added scope needs a new token.",
  input: {
    business_id: fields.businessId,
    integration_id: fields.integrationId,
    ...changesOf(integrationFields),
  },
  atLeastOne: true,
  output: integration,
  errors: ["integration_not_found", "location_not_found", "validation_failed"],
  check: (input, context) => checkLocationGrant(input, "optional", context),
  async write({ input, tx, caller, audit, reject }) {
    const { businessId } = caller;
    const before = await lockIntegration(tx, caller, input.integration_id);
    if (before === undefined) return reject("integration_not_found");
    const rejected = await checkSandboxScope(tx, caller.businessId, input.scopes);
    if (rejected !== undefined) return rejected;
    const missing = await rejectMissingLocations(tx, businessId, input.location_ids);
    if (missing !== undefined) return missing;
    const after = {
      ...before,
      name: input.name ?? before.name,
      scopes: input.scopes ?? before.scopes,
      all_locations: input.all_locations ?? (input.location_ids === undefined && before.all_locations),
      location_ids: input.location_ids ?? (input.all_locations === true ? [] : before.location_ids),
    };
    await updateIntegration(tx, businessId, before.integration_id, after);
    audit({ before, after });
    return after;
  },
});
