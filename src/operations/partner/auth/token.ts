import { fields, Type, tokenOperation } from "../../../contract/declare.ts";
import { isSecret } from "../../../credentials/keys.ts";
import { tokenLifetimeSeconds } from "../../../credentials/tokens.ts";
import { findCredentials } from "../../../database/access/integrations.ts";

const credential = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 255, format: "plain-text", description, examples: [example] });

export const issueToken = tokenOperation({
  path: "/sp/auth/token",
  summary: "Issue an access token",
  description:
    "Exchanges client credentials for a bearer token that is valid for two hours. There is no refresh token: request a " +
    "new token with the same credentials.",
  message: "Access token issued.",
  input: {
    client_id: credential("The integration's client_id.", "loy_Nq3fXyZk2b7wQ1sT"),
    client_secret: credential("The integration's client_secret.", "loysec_4fJt..."),
  },
  output: Type.Object({
    access_token: Type.String({
      maxLength: 4096,
      format: "visible-ascii",
      description: "Bearer token.",
      examples: ["eyJhbGciOiJIUzI1NiJ9..."],
    }),
    token_type: Type.Literal("Bearer", { description: "Always Bearer." }),
    expires_in: fields.whole(
      tokenLifetimeSeconds,
      tokenLifetimeSeconds,
      "The number of seconds for which the token is valid.",
      tokenLifetimeSeconds,
    ),
    expires_at: Type.String({ ...fields.timestamp, examples: ["2026-04-17 11:30:00"] }),
    scope: Type.String({
      maxLength: 1024,
      pattern: "^[a-z.]*( [a-z.]+)*$",
      description: "The granted scopes, separated by spaces.",
      examples: ["wa.members.read wa.wallet.write"],
    }),
    business_id: fields.businessId,
    integration_id: fields.integrationId,
  }),
  errors: ["invalid_client_credentials"],
  async issue({ input, services, reject }) {
    const expiresAt = Math.floor(services.clock() / 1000) + tokenLifetimeSeconds;
    const integration = await findCredentials(services.lookUps, input.client_id, expiresAt);
    // The comparison is done for an unknown client_id, too, so that it takes as long.
    const known = isSecret(input.client_secret, integration?.secret_hashes ?? []);
    if (integration === undefined || !known || !integration.enabled)
      return reject("invalid_client_credentials");
    const claims = {
      integrationId: integration.integration_id,
      businessId: integration.business_id,
      scopes: integration.scopes,
      generation: integration.token_generation,
    };
    return {
      access_token: await services.tokens.issue(claims, expiresAt),
      token_type: "Bearer" as const,
      expires_in: tokenLifetimeSeconds,
      expires_at: integration.expires_at,
      scope: integration.scopes.join(" "),
      business_id: integration.business_id,
      integration_id: integration.integration_id,
    };
  },
});
