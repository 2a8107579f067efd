/** The OpenAPI 3.1 documents, made from the declarations of the operations. */
import {
  type AuthorizedOperation,
  bodyOf,
  errorsOf,
  isAuthorized,
  type Operation,
} from "../../src/contract/operation.ts";
import { roles, scopes } from "../../src/domain/access/access.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { version } from "../../src/package.ts";
import { usual as sessionCookie } from "../../src/pipeline/access/session-cookie.ts";
import { operationExample } from "./examples.ts";
import { inOrder, operationId, operationName, tagGroupsOf, tagOf, tagsOf } from "./names.ts";
import { errorComponents, headerComponents, responseOf, responsesOf } from "./responses.ts";
import { type Json, type JsonObject, publishedSchema } from "./schemas.ts";
import { eventComponents, webhooksOfEvents } from "./webhooks.ts";

export type Audience = "partner" | "operator";

/**
 * Makes the document of one audience's operations.
 * @param basePath where they lie on the host that serves them
 */
export function openApiDocument(audience: Audience, basePath: string): JsonObject {
  const { operations, title, summary, description, schemes } = audiences[audience];
  const codes = [...new Set(operations.flatMap((operation) => errorsOf(operation)))].sort();
  const rejections = errorComponents(codes);
  const paths = operations.map((operation) => [operation.path, { post: operationObject(operation) }]);
  return {
    openapi: "3.1.0",
    info: {
      title,
      summary,
      description: description(`${basePath}/docs`),
      version,
      contact: { name: "The operator of the service" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      {
        url: basePath === "" ? "/" : basePath,
        description: "The host that serves this document, in production as in tests.",
        "x-internal": audience === "operator",
      },
    ],
    security: anyOf(audience, []),
    tags: tagsOf(operations).map(({ name, description }) => ({ name, description })),
    "x-tagGroups": tagGroupsOf(operations),
    paths: Object.fromEntries(paths),
    ...(audience === "partner" && { webhooks: webhooksOfEvents() }),
    components: {
      securitySchemes: schemes,
      headers: usedHeaders(Object.fromEntries(paths)),
      examples: rejections.examples,
      schemas: {
        ...operationSchemas(operations),
        ...(audience === "partner" && eventComponents()),
        ...rejections.schemas,
      },
    },
  };
}

interface AudienceOf {
  readonly operations: readonly Operation[];
  readonly title: string;
  readonly summary: string;
  /** What the audience should know first. @param docs the path of the reference */
  readonly description: (docs: string) => string;
  /** How it authenticates. */
  /** Any one of them is enough. */
  readonly schemes: JsonObject;
}

export const audiences: Record<Audience, AudienceOf> = {
  partner: {
    operations: inOrder(partnerOperations),
    title: "Loyalty Partner API",
    summary: "Members, wallets, reward points, sales, tiers and vouchers of one business.",
    description: (docs) =>
      [
        "Every operation is a `POST` with one JSON object as its body, and every response is a JSON object with " +
          "`success`, `message`, and either `data` and `meta`, or `error`.",
        "Get a token from `/sp/auth/token`, then send it as `Authorization: Bearer …` with every other request. " +
          "Operations that write require an `idempotency_key`. If you repeat a request with the same key and body, it " +
          "takes effect once.",
        "**Amounts are integers in minor units of the business's currency: 25.50 is `2550`**, and `25.00` means " +
          "25 minor units, which is 0.25. Days and times are in the business's time zone. Later versions can add fields to " +
          "responses: ignore fields that you don't know.",
        `There are [guides](${docs}/guides), and a [client for TypeScript and JavaScript](${docs}/guides/client) with ` +
          "examples.",
      ].join("\n\n"),
    schemes: {
      accessToken: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description:
          "The access_token of /sp/auth/token, valid for two hours. It is a signed JWT that follows RFC8725. Don't parse " +
          "it. The description of each operation names the scope that the token needs.",
      },
    },
  },
  operator: {
    operations: inOrder(operatorOperations),
    title: "Loyalty Operator API",
    summary: "Businesses, locations, integrations, imports, exports, and other tasks of operators.",
    description: () =>
      [
        "For the operator of the service. It works like the partner API: every operation is a `POST` with one JSON " +
          "object, responses have the same form, and writes require an `idempotency_key`.",
        "Send an operator key as `Authorization: Bearer …`: that of a script, or that of root. The console sends the cookie of a " +
          "session instead. The description of each operation names the role that it requires. The audit log stores the header " +
          "`X-Actor` as a note.",
      ].join("\n\n"),
    schemes: {
      operatorKey: {
        type: "http",
        scheme: "bearer",
        description:
          "An operator key, the token of a session, or LOYALTY_OPERATOR_KEY in the service's environment, which is that of root.",
      },
      session: {
        type: "apiKey",
        in: "cookie",
        name: sessionCookie.name,
        description:
          "The session of the console. A request with the cookie must come from the same origin. On http at a loopback address " +
          "the name has no prefix.",
      },
    },
  },
};

function operationObject(operation: Operation): JsonObject {
  return {
    operationId: operationId(operation),
    tags: [tagOf(operation).name],
    summary: operation.summary,
    description: describe(operation),
    security: securityOf(operation),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${operationName(operation)}Request` },
          examples: { request: { summary: operation.summary, value: operationExample(operation).request } },
        },
      },
    },
    responses: responsesOf(operation),
  };
}

/** What an operation does, what it needs, and who may use it, in Markdown. */
export function describe(operation: Operation): string {
  const lines = [operation.description];
  if (operation.atLeastOneOf !== undefined) {
    lines.push(
      `At least one of ${operation.atLeastOneOf.map((name) => `\`${name}\``).join(", ")} is required.`,
    );
  }
  if (operation.exactlyOneOf !== undefined) {
    lines.push(
      `Exactly one of ${operation.exactlyOneOf.map((name) => `\`${name}\``).join(", ")} is required.`,
    );
  }
  if (isAuthorized(operation)) lines.push(accessText(operation));
  return lines.join("\n\n");
}

function accessText(operation: AuthorizedOperation): string {
  if (operation.scope !== "operator") return `Scope: \`${operation.scope}\`. ${scopes[operation.scope]}`;
  const password = operation.sensitive
    ? " A person who signed in must have given the password within the last ten minutes."
    : "";
  return `Role: \`${operation.role}\`. ${roles[operation.role]}${password}`;
}

/** OpenAPI 3.1 lists the roles that the credentials must have: here the scope or the role. */
function securityOf(operation: Operation): Json {
  if (isAuthorized(operation)) {
    const { scope } = operation;
    return scope === "operator" ? anyOf("operator", [operation.role]) : anyOf("partner", [scope]);
  }
  return errorsOf(operation).includes("unauthorized") ? anyOf("operator", []) : [];
}

/** Any one of the schemes of an audience is enough. */
const anyOf = (audience: Audience, needs: string[]): Json =>
  Object.keys(audiences[audience].schemes).map((name) => ({ [name]: needs }));

function operationSchemas(operations: readonly Operation[]): JsonObject {
  return Object.fromEntries(
    operations.flatMap((operation) => [
      [`${operationName(operation)}Request`, requestSchema(operation)],
      [`${operationName(operation)}Response`, publishedSchema(responseOf(operation))],
    ]),
  );
}

function requestSchema(operation: Operation): JsonObject {
  const schema = publishedSchema(bodyOf(operation));
  const { atLeastOneOf, exactlyOneOf } = operation;
  if (exactlyOneOf !== undefined) {
    return { ...schema, oneOf: exactlyOneOf.map((name) => ({ required: [name] })) };
  }
  return atLeastOneOf === undefined
    ? schema
    : { ...schema, anyOf: atLeastOneOf.map((name) => ({ required: [name] })) };
}

/** Only the headers that some response refers to. */
function usedHeaders(paths: JsonObject): JsonObject {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(headerComponents).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}
