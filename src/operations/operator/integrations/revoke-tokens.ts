import { newTokenGeneration } from "../../../database/access/integrations.ts";
import { changesIntegration } from "../../integrations.ts";

export const revokeIntegrationTokens = changesIntegration(
  {
    path: "/op/integrations/revoke-tokens",
    event: "integration.tokens_revoked",
    summary: "Revoke the tokens of an integration",
    description:
      "Rejects every token issued so far, within five seconds. The integration can get a new one with its secret: " +
      "if that leaked too, rotate it first.",
    message: "Tokens revoked.",
  },
  () => ({ token_generation: newTokenGeneration() }),
);
