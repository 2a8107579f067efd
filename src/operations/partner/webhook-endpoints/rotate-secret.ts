import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { newWebhookSecret, placeOfEndpoint } from "../../../credentials/keys.ts";
import {
  findSealedSecret,
  lockEndpoint,
  replaceWebhookSecret,
} from "../../../database/webhooks/endpoints.ts";
import { endpointId, ownerOf, webhookScope, webhookSecret } from "../../events/webhooks.ts";

const day = 24 * 60 * 60;

export const rotateWebhookSecret = writeOperation({
  path: "/sp/webhook-endpoints/rotate-secret",
  scope: webhookScope,
  event: "webhook_endpoint.secret_rotated",
  confidential: true,
  summary: "Rotate the secret of a webhook endpoint",
  description:
    "Makes a new secret. For overlap_seconds, each event is signed with both secrets, so that you can switch to the new one without " +
    "an interruption. A third secret, or an old one that the service can't read any more, ends immediately.",
  operator: { role: "manager", sensitive: true },
  message: "Secret rotated.",
  confirm: "This can't be undone.",
  input: {
    endpoint_id: endpointId,
    overlap_seconds: fields.wholeOr(
      day,
      0,
      7 * day,
      "The number of seconds for which events are signed with the old secret, too. With 0, it ends immediately.",
    ),
  },
  output: Type.Object({
    endpoint_id: endpointId,
    secret: webhookSecret,
    previous_secret_expires_at: fields.nullable(
      fields.timestamp,
      "The time until which the old secret is used; null if it is no longer used.",
    ),
  }),
  errors: ["webhook_endpoint_not_found"],
  async write({ input: { endpoint_id, overlap_seconds = day }, tx, caller, services, audit, reject }) {
    const endpoint = await lockEndpoint(tx, ownerOf(caller), endpoint_id);
    if (endpoint === undefined) return reject("webhook_endpoint_not_found");
    const place = placeOfEndpoint(endpoint_id);
    const previous = await findSealedSecret(tx, caller.businessId, endpoint_id);
    // The service can't sign with a secret that it can't decrypt.
    const overlap = previous !== undefined && services.canUnseal(previous, place) ? overlap_seconds : 0;
    const secret = newWebhookSecret();
    const sealed = services.seal(secret, place);
    const previous_secret_expires_at = await replaceWebhookSecret(tx, caller, endpoint_id, sealed, overlap);
    audit({
      before: { endpoint_id },
      after: { endpoint_id, overlap_seconds: overlap, previous_secret_expires_at },
    });
    return { endpoint_id, secret, previous_secret_expires_at };
  },
});
