import { Type } from "typebox";
import * as fields from "../../../contract/fields.ts";
import { writeOperation } from "../../../contract/operation.ts";
import { lockIntegration, setEnabled } from "../../../database/access/integrations.ts";
import * as operator from "../../operator-fields.ts";

export const enableIntegration = writeOperation({
  path: "/op/integrations/enable",
  scope: "operator",
  event: "integration.enabled",
  summary: "Enable an integration",
  description:
    "Lets a disabled integration get tokens again, with the secret that it has. Earlier tokens stay rejected.",
  message: "Integration enabled.",
  input: Type.Object({ business_id: fields.businessId, integration_id: fields.integrationId }),
  output: operator.integration,
  errors: ["integration_not_found"],
  async write({ input: { integration_id }, tx, caller, audit, fail }) {
    const before = await lockIntegration(tx, caller, integration_id);
    if (before === undefined) return fail("integration_not_found");
    await setEnabled(tx, caller.businessId, integration_id, true);
    const after = { ...before, enabled: true };
    audit({ before, after });
    return after;
  },
});
