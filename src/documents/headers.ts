/** The response headers that callers can build on. */
import type { Operation } from "../contract/operation.ts";
import type { JsonObject } from "./json.ts";

const text = (description: string, pattern: string, maxLength: number, example: string): JsonObject => ({
  description,
  schema: { type: "string", pattern, maxLength },
  example,
});

const definitions = {
  "X-Request-Id": {
    description: "Names this request in the service's log: give it with every question about an answer.",
    required: true,
    schema: { type: "string", format: "uuid", maxLength: 36 },
    example: "0c7c0f5e-6f0e-4f7c-9d5c-2f6f1f0a9b1e",
  },
  "RateLimit-Policy": text(
    "The limit on the integration's requests: q of them in any w seconds; tokens are counted apart. On every answer " +
      "after the token and its scope, or the credentials, were accepted, unless the limit is off.",
    '^"(default|tokens)";q=[0-9]+;w=[0-9]+$',
    64,
    '"default";q=200;w=2',
  ),
  RateLimit: text(
    "How many requests are left (r), and in how many seconds there is one more when none is (t).",
    '^"(default|tokens)";r=[0-9]+;t=[0-9]+$',
    64,
    '"default";r=199;t=0',
  ),
  "Retry-After": {
    description: "Send the request again after this many seconds.",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 0, maximum: 86_400 },
    example: 1,
  },
  "Idempotent-Replayed": {
    description: "Present when this is the first response to the same idempotency_key; nothing was done now.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  "WWW-Authenticate": {
    ...text(
      'How to authenticate; error="invalid_token" when a token was sent and is not accepted.',
      '^Bearer( error="invalid_token")?$',
      64,
      'Bearer error="invalid_token"',
    ),
    required: true,
  },
} satisfies Record<string, JsonObject>;

type HeaderName = keyof typeof definitions;

export const headerComponents: JsonObject = definitions;

/** The headers that an operation's responses of one status may have. */
export function headersOf(operation: Operation, status: number): JsonObject {
  // The integration of a token request is known only when it has succeeded.
  const limited =
    operation.kind === "token" ? status === 200 || status === 429 : operation.scope !== "operator";
  const writes = operation.kind === "write" || operation.kind === "posting";
  const names: HeaderName[] = [
    "X-Request-Id",
    ...(limited ? (["RateLimit-Policy", "RateLimit"] as const) : []),
    ...(writes && status < 300 ? (["Idempotent-Replayed"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
    ...(status === 429 || status === 503 ? (["Retry-After"] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
