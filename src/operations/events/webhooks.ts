/** Fields, checks and functions that operations on webhooks share. */
import {
  type FieldError,
  fields,
  type Static,
  type TObject,
  Type,
  wrongValue,
} from "../../contract/declare.ts";
import type { Caller, CheckContext } from "../../contract/operation.ts";
import type { Services } from "../../contract/services.ts";
import { placeOfEndpoint } from "../../credentials/keys.ts";
import { attemptKinds } from "../../database/webhooks/deliveries.ts";
import {
  disabledReasons,
  type EndpointOwner,
  type LockedEndpoint,
} from "../../database/webhooks/endpoints.ts";
import { eventNames, eventPatterns } from "../../domain/events.ts";
import { problemOfUrl } from "../../domain/webhooks/addresses.ts";
import { type Header, mostHeaderBytes, problemOfHeader } from "../../domain/webhooks/headers.ts";

/** Text of any characters, from headers and receivers. */
const returned = (maxLength: number, description: string, example: string) => ({
  ...fields.returnedText(maxLength, description, example),
  pattern: "^[\\s\\S]*$",
});

export const webhookScope = "wa.webhooks.write";

/** The most endpoints of an integration. Those of operators count together. */
export const mostEndpoints = 20;
const mostHeaders = 16;

export const endpointId = fields.identifier("The webhook endpoint.", 3);
export const eventNumber = fields.identifier(
  "The number of the event, which is data.sequence in the event.",
  1045,
);
export const eventType = Type.Enum([...eventNames], {
  description: "The type of the event.",
  examples: ["sale.recorded"],
});

const url = Type.String({
  minLength: 1,
  maxLength: 2000,
  format: "visible-ascii",
  description: "The URL to which events are sent. It begins with https:// and has a public address.",
  examples: ["https://example.com/webhooks/loyalty"],
});
const types = Type.Array(Type.Enum([...eventPatterns]), {
  minItems: 1,
  maxItems: eventPatterns.length,
  uniqueItems: true,
  description:
    "The types of events to send. `sale.*` means all types that begin with `sale.`, and `*` means all types, also future ones.",
  examples: [["sale.*", "member.updated"]],
});
const description = fields.nullable(
  fields.text(255, "What the endpoint is for.", "Data warehouse"),
  "What the endpoint is for, or null.",
);
const headers = Type.Array(
  Type.Object({
    name: Type.String({
      minLength: 1,
      maxLength: 256,
      format: "visible-ascii",
      description: "The name of the header.",
      examples: ["Authorization"],
    }),
    value: Type.String({
      minLength: 1,
      maxLength: mostHeaderBytes,
      format: "printable-ascii",
      description: "The value of the header. Only its name is ever returned.",
      examples: ["Bearer 5Vn0JqM2"],
    }),
  }),
  {
    maxItems: mostHeaders,
    description: "Headers to send with each event, such as Authorization. They are stored encrypted.",
  },
);

/** What the owner of an endpoint sets. */
export const endpointInput = {
  url,
  types,
  description: Type.Optional(description),
  headers: Type.Optional(headers),
  max_in_flight: fields.wholeOr(8, 1, 32, "The most events that are sent at the same time."),
  ordered: fields.option(
    "Whether events are sent one at a time, in their order. One that fails then stops the events behind it.",
  ),
};

const moment = (text: string) => fields.nullable(fields.timestamp, `${text}, or null.`);

export const webhookEndpoint = Type.Object({
  endpoint_id: endpointId,
  integration_id: fields.nullable(
    fields.integrationId,
    "The integration that it belongs to, or null if it belongs to the operators.",
  ),
  url,
  types,
  description,
  header_names: Type.Array(returned(256, "The name of a header.", "Authorization"), {
    maxItems: mostHeaders,
    description: "The names of the headers that are sent with each event.",
    examples: [["Authorization"]],
  }),
  max_in_flight: fields.whole(1, 32, "The most events that are sent at the same time.", 8),
  ordered: fields.flag("Whether events are sent one at a time, in their order.", false),
  status: fields.choice(
    ["enabled", "failing", "disabled"],
    "failing: events fail, and one is tried again every ten minutes. disabled: nothing is sent.",
  ),
  disabled_reason: fields.nullable(
    fields.choice(disabledReasons, "The reason."),
    "Why it is disabled, or null. no_success: all attempts of five days failed. gone: it responded with 410. secret_unreadable: the " +
      "service can't read the secret any more, so rotate it, set the headers again, and enable it. copied: its business was imported or " +
      "restored as a copy, so enable it when the original does not send any more. integration_disabled: its " +
      `integration is disabled or lost the scope ${webhookScope}.`,
  ),
  failing_since: moment("The time since which events fail"),
  last_success_at: moment("The time of the last event that was delivered"),
  last_error: fields.nullable(
    returned(1000, "The error.", "HTTP 500"),
    "Why the last attempt failed, or null if that is over.",
  ),
  behind: fields.count("How many events of the business come after the last one that is done.", 0),
  waiting: fields.count("How many events wait for another attempt. More than 10000 are not counted.", 0),
  created_at: fields.timestamp,
  updated_at: fields.timestamp,
});

export const webhookSecret = fields.shownOnce(
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: "^whsec_[A-Za-z0-9+/]+=*$",
    description: "The secret that signs the events. Only this response shows it.",
    examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
  }),
);

export const deliveryStatus = fields.choice(["delivered", "failed"], "Whether the attempt succeeded.");

const attempt = {
  kind: fields.choice(
    attemptKinds,
    "Why it was sent. probe: to find out whether a failing endpoint works again.",
  ),
  attempt: fields.count("Counts the attempts to send the event.", 1),
  status: deliveryStatus,
  started_at: fields.timestamp,
  milliseconds: fields.count("How long it took.", 84),
  response_status: fields.nullable(
    fields.whole(100, 999, "The HTTP status.", 200),
    "The HTTP status of the response, or null if there was none.",
  ),
  error: fields.nullable(returned(1000, "The error.", "no response within 15 s"), "Why it failed, or null."),
  response_body: fields.nullable(
    returned(1024, "The text.", "ok"),
    "The beginning of the response, or null.",
  ),
};
export const deliveryAttempt = Type.Object(attempt);
export const delivery = Type.Object({
  event_no: fields.nullable(eventNumber, "The number of the event, or null for a test."),
  type: fields.nullable(
    returned(100, "The type of the event.", "sale.recorded"),
    "The type of the event, or null for a test and for an event that is no longer kept.",
  ),
  ...attempt,
});

/** Whose endpoints a caller sees. */
export const ownerOf = ({ businessId, timeZone, integrationId }: Caller): EndpointOwner => ({
  businessId,
  timeZone,
  integrationId,
});

type EndpointInput = Static<TObject<typeof endpointInput>>;

export function checkEndpoint(
  { url, headers = [] }: Partial<EndpointInput>,
  { services, rejected }: CheckContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const problem =
    url === undefined || rejected.has("url") ? undefined : problemOfUrl(url, services.webhookAddresses);
  if (problem !== undefined) errors.push(wrongValue("url", problem));
  const names = new Set<string>();
  for (const [index, header] of headers.entries()) {
    const found = problemOfHeader(header);
    const name = header.name.toLowerCase();
    if (found !== undefined) errors.push(wrongValue(`headers.${index}.${found.part}`, found.problem));
    else if (names.has(name)) errors.push(wrongValue(`headers.${index}.name`, "must not be there twice"));
    names.add(name);
  }
  return errors;
}

/** The columns for headers: their names, and all of them encrypted. */
export function sealedHeaders(
  { seal }: Pick<Services, "seal">,
  endpointId: number,
  headers: readonly Header[],
) {
  return {
    header_names: headers.map(({ name }) => name),
    headers: headers.length === 0 ? null : seal(JSON.stringify(headers), placeOfEndpoint(endpointId)),
  };
}

const auditedFields = [
  ...(["endpoint_id", "integration_id", "url", "types", "description", "header_names"] as const),
  ...(["max_in_flight", "ordered", "status"] as const),
];

export const auditedEndpoint = (endpoint: Pick<LockedEndpoint, (typeof auditedFields)[number]>) =>
  Object.fromEntries(auditedFields.map((field) => [field, endpoint[field]]));
