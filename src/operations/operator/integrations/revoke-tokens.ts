import { fields, writeOperation } from "../../../contract/declare.ts";
import {
  lockIntegration,
  newTokenGeneration,
  updateIntegration,
} from "../../../database/access/integrations.ts";
import { integration } from "../../integrations.ts";

export const revokeIntegrationTokens = writeOperation({
  path: "/op/integrations/revoke-tokens",
  event: "integration.tokens_revoked",
  summary: "Revoke the tokens of an integration",
  description:
    "Rejects every token issued so far, within five seconds. The integration can get a new one with its secret: " +
    "if that leaked too, rotate it first.",
  message: "Tokens revoked.",
  input: { business_id: fields.businessId, integration_id: fields.integrationId },
  output: integration,
  errors: ["integration_not_found"],
  async write({ input: { integration_id }, tx, caller, audit, fail }) {
    const found = await lockIntegration(tx, caller, integration_id);
    if (found === undefined) return fail("integration_not_found");
    await updateIntegration(tx, caller.businessId, integration_id, {
      token_generation: newTokenGeneration(),
    });
    const { client_id } = found;
    audit({ before: { integration_id, client_id }, after: { integration_id, client_id, tokens: "revoked" } });
    return found;
  },
});
