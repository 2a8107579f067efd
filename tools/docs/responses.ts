/** The responses of operations: the envelopes, as schemas and examples, and their headers. */
import { type TObject, type TSchema, Type } from "typebox";
import { detailsOf, type ErrorCode, errors } from "../../src/contract/errors.ts";
import * as fields from "../../src/contract/fields.ts";
import { errorsOf, isOperatorOperation, isWrite, type Operation } from "../../src/contract/operation.ts";
import { maximumPerPage } from "../../src/domain/pagination.ts";
import { operationExample } from "./examples.ts";
import { componentName, operationName } from "./names.ts";
import { exampleOf, type JsonObject, publishedSchema } from "./schemas.ts";

const message = (example: string) =>
  Type.String({
    maxLength: 2000,
    format: "plain-text",
    description: "For people to read.",
    examples: [example],
  });

/** The schema of a successful response. */
export function responseOf(operation: Operation): TObject {
  return Type.Object({
    success: Type.Literal(true, { description: "Always true." }),
    message: message(operation.message),
    data: dataOf(operation),
    meta:
      operation.kind === "list"
        ? Type.Object(
            { pagination: Type.Optional(fields.pagination), next: fields.next },
            {
              description: "About the list as a whole. A response to a request with after has no pagination.",
            },
          )
        : Type.Object({}, { description: "Empty." }),
  });
}

function dataOf(operation: Operation): TSchema {
  if (operation.kind !== "list") return operation.output;
  return Type.Array(operation.output, {
    maxItems: maximumPerPage,
    description: "The items of this page.",
  });
}

/** The status of a successful response. */
export const statusOf = (operation: Operation) => ("status" in operation ? operation.status : 200);

/** The responses of an operation, by status. */
export function responsesOf(operation: Operation): JsonObject {
  const status = statusOf(operation);
  const codes = errorsOf(operation);
  const rejected = [...new Set(codes.map((code) => errors[code].status))].sort((a, b) => a - b);
  return Object.fromEntries([
    [
      String(status),
      {
        description: operation.message,
        headers: headersOf(operation, status),
        content: json(
          { $ref: `#/components/schemas/${operationName(operation)}Response` },
          {
            [status === 201 ? "created" : "ok"]: {
              summary: operation.message,
              value: operationExample(operation).response,
            },
          },
        ),
      },
    ],
    ...rejected.map((status) => {
      const ofStatus = codes.filter((code) => errors[code].status === status);
      return [String(status), rejectionOf(operation, status, ofStatus)];
    }),
  ]);
}

function rejectionOf(operation: Operation, status: number, codes: readonly ErrorCode[]): JsonObject {
  const schemas = codes.map((code) => ({ $ref: `#/components/schemas/${errorSchemaName(code)}` }));
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join("\n\n"),
    headers: headersOf(operation, status),
    content: json(
      schemas.length === 1 ? (schemas[0] as JsonObject) : { anyOf: schemas },
      Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    ),
  };
}

function json(schema: JsonObject, examples: JsonObject): JsonObject {
  return { "application/json": { schema, examples } };
}

function errorSchemaName(code: ErrorCode): string {
  return `${componentName(code)}Error`;
}

/** The schemas and examples of some errors, by their names among the components. */
export function errorComponents(codes: readonly ErrorCode[]): { schemas: JsonObject; examples: JsonObject } {
  const schemas: Record<string, JsonObject> = {};
  const examples: Record<string, JsonObject> = {};
  for (const code of codes) {
    const schema = publishedSchema(errorResponse(code));
    schemas[errorSchemaName(code)] = { description: errors[code].message, ...schema };
    examples[code] = { summary: `${code}: ${errors[code].message}`, value: exampleOf(schema) };
  }
  return { schemas, examples };
}

function errorResponse(code: ErrorCode): TObject {
  const { cause, message: said, remedy } = errors[code];
  return Type.Object({
    success: Type.Literal(false, { description: "Always false." }),
    message: message(said),
    error: Type.Object(
      {
        code: Type.Literal(code, { description: `For programs. ${cause} ${remedy}` }),
        details: {
          ...detailsOf(code),
          description: "What a program needs to know besides the code.",
        } as TObject,
      },
      { description: "What went wrong." },
    ),
  });
}

const headerText = (
  description: string,
  pattern: string,
  maxLength: number,
  example: string,
): JsonObject => ({
  description,
  schema: { type: "string", pattern, maxLength },
  example,
});

/** The response headers that callers can build on. */
const headers = {
  "X-Request-Id": {
    description: "Names this request in the service's log: give it with every question about a response.",
    required: true,
    schema: { type: "string", format: "uuid", maxLength: 36 },
    example: "0c7c0f5e-6f0e-4f7c-9d5c-2f6f1f0a9b1e",
  },
  "RateLimit-Policy": headerText(
    "The limit on the integration's requests: q of them in any w seconds; tokens are counted apart. On every response " +
      "after the token and its scope, or the credentials, were accepted, unless the limit is off.",
    '^"(default|tokens)";q=[0-9]+;w=[0-9]+$',
    64,
    '"default";q=200;w=2',
  ),
  RateLimit: headerText(
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
    ...headerText(
      'How to authenticate; error="invalid_token" when a token was sent and is not accepted.',
      '^Bearer( error="invalid_token")?$',
      64,
      'Bearer error="invalid_token"',
    ),
    required: true,
  },
} satisfies Record<string, JsonObject>;

type HeaderName = keyof typeof headers;

export const headerComponents: JsonObject = headers;

/** The headers that an operation's responses of one status may have. */
function headersOf(operation: Operation, status: number): JsonObject {
  // The integration of a token request is known only when it has succeeded.
  const limited =
    operation.kind === "token" ? status === 200 || status === 429 : !isOperatorOperation(operation);
  const writes = isWrite(operation);
  const names: HeaderName[] = [
    "X-Request-Id",
    ...(limited ? (["RateLimit-Policy", "RateLimit"] as const) : []),
    ...(writes && status < 300 ? (["Idempotent-Replayed"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
    ...(status === 429 || status === 503 ? (["Retry-After"] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
