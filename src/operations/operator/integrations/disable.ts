import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { lockIntegration, setEnabled } from "../../../database/access/integrations.ts";
import * as operator from "../../operator-fields.ts";

export const disableIntegration = writeOperation({
  path: "/op/integrations/disable",
  scope: "operator",
  event: "integration.disabled",
  summary: "Disable an integration",
  description:
    "Rejects every operation of the integration and gives it no new tokens, within five seconds. Tokens issued before are rejected " +
    "for good, even when it is enabled again.",
  message: "Integration disabled.",
  input: Type.Object({ business_id: fields.businessId, integration_id: fields.integrationId }),
  output: operator.integration,
  errors: ["integration_not_found"],
  async write({ input: { integration_id }, tx, caller, audit, fail }) {
    const before = await lockIntegration(tx, caller, integration_id);
    if (before === undefined) return fail("integration_not_found");
    await setEnabled(tx, caller.businessId, integration_id, false);
    const after = { ...before, enabled: false };
    audit({ before, after });
    return after;
  },
});
