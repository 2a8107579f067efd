/** Validates a body by its schema, without fields that count as absent. Reports failures in the terms of the contract. */
import type { TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { System } from "typebox/system";
import { isBlank, shownText } from "../domain/text.ts";
import { type FieldError, type FieldErrorCode, fieldError, wrongValue } from "./field-errors.ts";
import { repeatedTexts } from "./repeated-texts.ts";

// The contract reports all failures. By default, the library stops at eight.
System.Settings.Set({ maxErrors: 1000 });

export type Body = Readonly<Record<string, unknown>>;
export type UnknownFields = "reject" | "ignore";

/**
 * Makes the function that validates bodies of a schema. It returns the known fields that are present, and the failures, at most
 * one for each field.
 * @param settings.removesAbsent removes `null` from optional fields that can't be null, the empty values of fields that
 *   declare `absentWhenEmpty`, and `idempotency_key` where the schema has none
 */
export function validatorOf(
  schema: TObject,
  settings: { readonly removesAbsent?: boolean; readonly unknownFields?: UnknownFields } = {},
) {
  const { removesAbsent = false, unknownFields = "reject" } = settings;
  const compiled = Compile(schema);
  const findRepeated = repeatedTexts(schema);
  return (body: Body): { readonly input: Body; readonly failures: FieldError[] } => {
    // Most bodies are valid, and copies take longer than the check.
    if (!removesAbsent && unknownFields === "reject" && findRepeated === undefined && compiled.Check(body))
      return { input: body, failures: [] };
    // Unknown fields are found here. The library stops at a number of failures, so thousands of unknown fields would hide the
    // other failures.
    const unknown: string[] = [];
    const input = knownPart(schema, body, undefined, removesAbsent, unknown) as Body;
    const rejected = unknownFields === "reject" ? unknown.map(unknownField) : [];
    findRepeated?.(input, "", rejected);
    if (compiled.Check(input)) return { input, failures: rejected };
    const isRepeated = (field: string) => rejected.some((one) => one.field === field);
    const found = new Map<string, FieldError>();
    for (const error of compiled.Errors(input) as unknown as TLocalizedValidationError[]) {
      for (const failure of fieldErrorsOf(error, schema, input)) {
        // The first failure of a field is the most useful, such as its type before its length.
        if (!found.has(failure.field) && !isRepeated(failure.field)) found.set(failure.field, failure);
      }
    }
    const failures = [...rejected, ...found.values()];
    // The failure may have no explanation in this file.
    if (failures.length === 0) {
      failures.push(fieldError("", "invalid_type", "is not valid for this operation"));
    }
    return { input, failures };
  };
}

/**
 * Legacy fields, by which similar interfaces named the tenant, the caller or the member, and the replacement of each. A request
 * with one of these names is rejected, unless the operation has a field of that name.
 */
export const legacyFields: Readonly<Record<string, string>> = {
  business_id: "the access token, which acts for one business",
  integration_id: "the access token, which acts for one integration",
  member_id: "contact_id",
  customer_id: "contact_id",
  api_key: "the Authorization header",
  api_token: "the Authorization header",
  access_token: "the Authorization header",
  token: "the Authorization header",
  client_id: "the Authorization header",
  client_secret: "the Authorization header",
};

/** The parts of a JSON Schema that this file reads. */
interface FieldSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly anyOf?: readonly { readonly type?: unknown; readonly enum?: readonly unknown[] }[];
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly absentWhenEmpty?: boolean;
}

/** Where a value is in a request. Few requests have a field of which the text of the path is needed. */
interface Path {
  readonly outer: Path | undefined;
  readonly name: string | number;
}

/** The names and indexes of a path from the outside in, joined by dots. */
const fieldAt = ({ outer, name }: Path): string =>
  outer === undefined ? String(name) : `${fieldAt(outer)}.${name}`;

/**
 * Copies a value without its unknown fields, at any depth, and without list items far beyond the limit of the list.
 * @param path of the value; undefined for the request itself
 * @param unknown gets the paths of unknown fields
 */
function knownPart(
  schema: TSchema,
  value: unknown,
  path: Path | undefined,
  removesAbsent: boolean,
  unknown: string[],
): unknown {
  const { properties, required = [], additionalProperties, items, maxItems } = schema as FieldSchema;
  if (Array.isArray(value)) {
    if (items === undefined) return value;
    // One item too many is enough for the error.
    const some = maxItems === undefined ? value : value.slice(0, maxItems + 1);
    return some.map((item, index) =>
      knownPart(items, item, { outer: path, name: index }, removesAbsent, unknown),
    );
  }
  if (properties === undefined || typeof value !== "object" || value === null) return value;
  const known: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) {
      if (removesAbsent && !required.includes(name) && isAbsent(member, property as FieldSchema)) continue;
      known[name] =
        typeof member === "object"
          ? knownPart(property, member, { outer: path, name }, removesAbsent, unknown)
          : member;
    } else if (additionalProperties !== false) known[name] = member;
    else if (!removesAbsent || path !== undefined || name !== "idempotency_key")
      unknown.push(fieldAt({ outer: path, name }));
  }
  return known;
}

function isAbsent(value: unknown, schema: FieldSchema): boolean {
  if (value === null) return !isNullable(schema);
  if (schema.absentWhenEmpty !== true) return false;
  return schema.type === "array" ? Array.isArray(value) && value.length === 0 : value === "";
}

function isNullable(schema: FieldSchema): boolean {
  return schema.anyOf?.some(({ type }) => type === "null") ?? false;
}

/** @param parent the name of the outer field; empty for the request itself */
function joinField(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}

/** The name of the field can be any text. */
function unknownField(path: string): FieldError {
  const field = shownText(path);
  return { field, code: "unknown_field", message: `${field || '""'} is not a field of this operation.` };
}

const explanations: Record<string, (limit: unknown) => [FieldErrorCode, string]> = {
  type: (type) => ["invalid_type", `must be ${article(String(type))}`],
  minimum: (limit) => ["out_of_range", `must be at least ${limit}`],
  maximum: (limit) => ["out_of_range", `must be at most ${limit}`],
  minLength: (limit) => ["too_short", `must have at least ${countText(limit, "character")}`],
  maxLength: (limit) => ["too_long", `must have at most ${countText(limit, "character")}`],
  minItems: (limit) => ["too_short", `must have at least ${countText(limit, "item")}`],
  maxItems: (limit) => ["too_long", `must have at most ${countText(limit, "item")}`],
  uniqueItems: () => ["not_allowed_value", "must not contain the same value twice"],
};

const formats: Record<string, string> = {
  "plain-text": "must be text without control characters or bidirectional overrides",
  "plain-lines": "must be text without bidirectional overrides or control characters other than line feeds",
  "pasted-text": "must be text without control characters",
  e164: "must be an international phone number such as +34600111222, with + and the country code, without blanks",
  email: "must be an e-mail address such as ana@example.com",
  date: "must be a date that exists, as YYYY-MM-DD",
  moment: "must be a day or a time that exists, as YYYY-MM-DD or YYYY-MM-DD HH:MM:SS",
  "printable-ascii": "must be printable ASCII characters, without blanks at its ends",
  "visible-ascii": "must be visible ASCII characters, without spaces",
};

/** More values make a message that nobody reads, and the documents list them. */
const mostValues = 50;

function allowedValues(schema: FieldSchema): string {
  const allowed = schema.enum ?? schema.anyOf?.find((one) => one.enum !== undefined)?.enum ?? [];
  const further = allowed.length - mostValues;
  const named = [...allowed.slice(0, mostValues), ...(further > 0 ? [`or ${further} others`] : [])];
  return `${named.join(", ") || "the allowed values"}${isNullable(schema) ? ", or null" : ""}`;
}

const likeExample = (example: unknown) =>
  example === undefined ? "has the wrong format" : `must look like ${String(example)}`;

function fieldErrorsOf(error: TLocalizedValidationError, schema: TObject, body: unknown): FieldError[] {
  const { keyword, instancePath } = error;
  const params = error.params as Record<string, unknown>;
  const path = instancePath.split("/").slice(1);
  const field = path.join(".");
  const value = path.reduce((parent, name) => (parent as Record<string, unknown>)?.[name], body);
  const own = schemaAt(schema, path) ?? {};
  const { examples: [example] = [] } = own;
  if (keyword === "required") {
    return (params.requiredProperties as string[]).map((name) =>
      fieldError(joinField(field, name), "required", "is required"),
    );
  }
  if (keyword === "enum" || keyword === "const" || keyword === "anyOf") {
    if (typeof value !== "string") return [fieldError(field, "invalid_type", "must be a string")];
    return [wrongValue(field, `must be one of: ${allowedValues(own)}`)];
  }
  const isOptional = !schemaAt(schema, path.slice(0, -1))?.required?.includes(path.at(-1) ?? "");
  if (value === "" && (keyword === "minLength" || keyword === "format") && isOptional) {
    const instead = isNullable(own) ? "use null to clear it" : "leave it out";
    return [fieldError(field, "too_short", `must not be empty: ${instead}`)];
  }
  if (keyword === "format") {
    if (typeof value === "string" && (value.trim() === "" || isBlank(value)))
      return [fieldError(field, "too_short", "must contain a visible character")];
    return [fieldError(field, "invalid_format", formats[String(params.format)] ?? "has the wrong format")];
  }
  if (keyword === "pattern") {
    return [fieldError(field, "invalid_format", formats[own.format ?? ""] ?? likeExample(example))];
  }
  const explanation = explanations[keyword];
  if (explanation === undefined) return [];
  const [code, message] = explanation(params.limit ?? params.type);
  const isMomentsLength = own.format === "moment" && keyword.endsWith("Length");
  return [fieldError(field, code, isMomentsLength ? (formats.moment as string) : message)];
}

/** The schema of a field: properties by name, the items of an array by index. */
function schemaAt(schema: TObject, path: readonly string[]): FieldSchema | undefined {
  return path.reduce<FieldSchema | undefined>(
    (parent, name) => parent?.properties?.[name] ?? parent?.items,
    schema,
  );
}

function countText(limit: unknown, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? "" : "s"}`;
}

function article(type: string): string {
  return type === "integer" || type === "array" || type === "object" ? `an ${type}` : `a ${type}`;
}
