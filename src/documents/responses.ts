/** The responses of operations: the envelopes of spec sections 1.7 and 7, as schemas and examples. */
import { type TObject, type TSchema, Type } from "typebox";
import { errorsOf } from "../contract/body.ts";
import { type ErrorCode, errors } from "../contract/errors.ts";
import * as fields from "../contract/fields.ts";
import type { Operation } from "../contract/operation.ts";
import { defaultPage, defaultPerPage, maximumPerPage, paginate } from "../domain/pagination.ts";
import { detailsOf } from "./error-details.ts";
import { headersOf } from "./headers.ts";
import type { JsonObject } from "./json.ts";
import { componentName, operationName } from "./names.ts";
import { exampleOf, publishedSchema } from "./schemas.ts";

const message = (example: string) =>
  Type.String({
    maxLength: 1000,
    format: "plain-text",
    description: "For people to read.",
    examples: [example],
  });

/** The schema of a successful response. */
export function answerOf(operation: Operation): TObject {
  return Type.Object({
    success: Type.Literal(true, { description: "Always true." }),
    message: message(operation.message),
    data: dataOf(operation),
    meta:
      operation.kind === "list"
        ? Type.Object({ pagination: fields.pagination }, { description: "About the list as a whole." })
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

function answerExample(operation: Operation): JsonObject {
  const example = exampleOf(publishedSchema(answerOf(operation))) as JsonObject;
  if (operation.kind !== "list") return example;
  // The examples of the fields are valid by themselves; a page of one item has to add up.
  const pagination = paginate({ page: defaultPage, perPage: defaultPerPage }, 1, 1);
  return { ...example, meta: { pagination: { ...pagination } } };
}

/** The responses of an operation, by status. */
export function responsesOf(operation: Operation): JsonObject {
  const status = "status" in operation ? operation.status : 200;
  const codes = errorsOf(operation);
  const refused = [...new Set(codes.map((code) => errors[code].status))].sort((a, b) => a - b);
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
              value: answerExample(operation),
            },
          },
        ),
      },
    ],
    ...refused.map((status) => {
      const ofStatus = codes.filter((code) => errors[code].status === status);
      return [String(status), refusalOf(operation, status, ofStatus)];
    }),
  ]);
}

function refusalOf(operation: Operation, status: number, codes: readonly ErrorCode[]): JsonObject {
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
