/** The webhooks of the OpenAPI document: a request for each type of event, as the service sends it to an endpoint. */
import { event, eventSchemas, exampleEvent } from "../../src/operations/events/event-data.ts";
import { componentName } from "./names.ts";
import { type Json, type JsonObject, publishedSchema } from "./schemas.ts";

/** The time of the examples. */
export const exampleTime = "2026-04-17T07:30:00.123456Z";

const schemaName = (type: string) => `Event${componentName(type)}`;

const header = (name: string, pattern: string, description: string, example: string): JsonObject => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string", maxLength: 500, pattern },
  example,
});

/** The headers of the Standard Webhooks specification. */
const headers: Json = [
  header(
    "webhook-id",
    "^evt_[a-z0-9_]+$",
    "Identifies the event. It is the same on each attempt.",
    "evt_1_1046",
  ),
  header("webhook-timestamp", "^[0-9]+$", "The time of the attempt, in seconds since 1970.", "1776411000"),
  header(
    "webhook-signature",
    "^v1,[A-Za-z0-9+/= ,]+$",
    "One signature for each valid secret, separated by spaces. Each begins with v1, and a comma.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

/** By the type of the event. */
export function webhooksOfEvents(): JsonObject {
  return Object.fromEntries(
    eventSchemas.map(({ type, description }) => [
      type,
      {
        post: {
          operationId: `webhook${componentName(type)}`,
          tags: ["Webhooks"],
          summary: type,
          description,
          security: [],
          parameters: headers,
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: { $ref: `#/components/schemas/${schemaName(type)}` },
                examples: {
                  event: { summary: description, value: exampleEvent(type, exampleTime) as unknown as Json },
                },
              },
            },
          },
          responses: {
            "2XX": { description: "The event was received. With any other status, it is sent again later." },
          },
        },
      },
    ]),
  );
}

/** The schemas to which they refer. */
export function eventComponents(): JsonObject {
  const { timestamp } = event.properties;
  return Object.fromEntries(
    eventSchemas.map(({ type, description, data }) => {
      const published = publishedSchema(data);
      const properties = {
        type: { type: "string", const: type, description: "The type of the event." },
        timestamp: publishedSchema(timestamp),
        data: { ...published, description: "Ids, amounts and balances." },
      };
      return [
        schemaName(type),
        { type: "object", description, required: Object.keys(properties), properties },
      ];
    }),
  );
}
