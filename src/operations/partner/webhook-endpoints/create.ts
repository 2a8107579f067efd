import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { newWebhookSecret, placeOfEndpoint } from "../../../credentials/keys.ts";
import { isEventsEnabled, setEventsEnabled } from "../../../database/events.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import {
  countEndpoints,
  findEndpoint,
  insertEndpoint,
  insertWebhookSecret,
  nextEndpointId,
} from "../../../database/webhooks/endpoints.ts";
import {
  auditedEndpoint,
  checkEndpoint,
  endpointInput,
  mostEndpoints,
  ownerOf,
  sealedHeaders,
  webhookEndpoint,
  webhookScope,
  webhookSecret,
} from "../../events/webhooks.ts";

export const createWebhookEndpoint = writeOperation({
  path: "/sp/webhook-endpoints/create",
  scope: webhookScope,
  event: "webhook_endpoint.created",
  status: 201,
  confidential: true,
  summary: "Create a webhook endpoint",
  message: "Webhook endpoint created.",
  description:
    "Creates an endpoint, to which events are sent from now on, and returns the secret that signs them. If the business does not " +
    "record events yet, they are switched on. An integration limited to some locations gets the events of these locations and the " +
    "events without a location.",
  operator: { role: "manager", sensitive: true },
  input: endpointInput,
  output: Type.Object({
    ...webhookEndpoint.properties,
    secret: webhookSecret,
    events_switched_on: fields.flag("Whether this switched on the events of the business.", false),
  }),
  errors: ["too_many_webhook_endpoints"],
  check: checkEndpoint,
  async write({ input, tx, caller, services, audit, reject }) {
    const owner = ownerOf(caller);
    const { businessId } = owner;
    const { url, types, description = null, headers = [], max_in_flight = 8, ordered = false } = input;
    // The ledger is locked before other rows.
    const isOn = await isEventsEnabled(tx, businessId);
    if (!isOn) await lockLedger(tx, businessId);
    if ((await countEndpoints(tx, owner)) >= mostEndpoints)
      return reject("too_many_webhook_endpoints", { limit: mostEndpoints });
    const endpoint_id = await nextEndpointId(tx);
    const settings = { url, types, description, max_in_flight, ordered };
    await insertEndpoint(tx, owner, endpoint_id, {
      ...settings,
      ...sealedHeaders(services, endpoint_id, headers),
    });
    const secret = newWebhookSecret();
    await insertWebhookSecret(
      tx,
      businessId,
      endpoint_id,
      services.seal(secret, placeOfEndpoint(endpoint_id)),
    );
    const made = await findEndpoint(tx, owner, endpoint_id);
    if (made === undefined) throw new Error(`webhook endpoint ${endpoint_id} was not made`);
    audit({ before: null, after: auditedEndpoint(made) });
    const events_switched_on = !isOn && !(await isEventsEnabled(tx, businessId));
    if (events_switched_on) await setEventsEnabled(tx, businessId, true);
    return { ...made, secret, events_switched_on };
  },
});
