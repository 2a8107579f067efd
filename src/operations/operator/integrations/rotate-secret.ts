import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { hashSecret, newClientSecret } from "../../../credentials/keys.ts";
import { lockIntegration, replaceSecret } from "../../../database/access/integrations.ts";
import { clientId, clientSecret } from "../../access/integrations.ts";

const defaultOverlapSeconds = 24 * 60 * 60;
const maximumOverlapSeconds = 30 * 24 * 60 * 60;

export const rotateIntegrationSecret = writeOperation({
  path: "/op/integrations/rotate-secret",
  role: "manager",
  sensitive: true,
  event: "integration.secret_rotated",
  confidential: true,
  summary: "Rotate the secret of an integration",
  message: "Secret rotated.",
  description:
    "Makes a new client_secret. The old one stays valid for overlap_seconds, so that the integration can switch to the " +
    "new one without an interruption. If a third secret is still valid, it ends immediately. Tokens issued so far stay " +
    "valid.",
  confirm: "This can't be undone.",
  input: {
    business_id: fields.businessId,
    integration_id: fields.integrationId,
    overlap_seconds: fields.wholeOr(
      defaultOverlapSeconds,
      0,
      maximumOverlapSeconds,
      "The number of seconds for which the old secret stays valid. With 0, it ends immediately.",
    ),
  },
  output: Type.Object({
    integration_id: fields.integrationId,
    client_id: clientId,
    client_secret: clientSecret,
    previous_secret_expires_at: fields.nullable(
      fields.timestamp,
      "The time until which the old secret is valid; null if it is no longer valid.",
    ),
  }),
  errors: ["integration_not_found"],
  async write({ input, tx, caller, audit, reject }) {
    const { integration_id, overlap_seconds = defaultOverlapSeconds } = input;
    const integration = await lockIntegration(tx, caller, integration_id);
    if (integration === undefined) return reject("integration_not_found");
    const client_secret = newClientSecret();
    const hash = hashSecret(client_secret);
    const previous_secret_expires_at = await replaceSecret(tx, caller, integration_id, hash, overlap_seconds);
    const { client_id } = integration;
    audit({
      before: { integration_id, client_id },
      after: { integration_id, client_id, overlap_seconds, previous_secret_expires_at },
    });
    return { integration_id, client_id, client_secret, previous_secret_expires_at };
  },
});
