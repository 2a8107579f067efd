import { newTokenGeneration } from "../../../database/access/integrations.ts";
import { changesIntegration } from "../../access/integrations.ts";

export const revokeIntegrationTokens = changesIntegration(
  {
    path: "/op/integrations/revoke-tokens",
    role: "manager",
    event: "integration.tokens_revoked",
    summary: "Revoke the tokens of an integration",
    message: "Tokens revoked.",
    description:
      "Within five seconds, all tokens issued so far are rejected. The integration can get a new token with its " +
      "secret. If the secret leaked too, rotate it first.",
  },
  () => ({ token_generation: newTokenGeneration() }),
);
