/** Checks a body against an operation's schema, and says what is wrong in the contract's terms. */

import type { TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { System } from "typebox/system";
import { isBlank } from "../domain/text.ts";
import { type FieldError, type FieldErrorCode, fieldError } from "./errors.ts";
import { joinField, separateUnknownFields } from "./unknown-fields.ts";

// The library stops at eight failures by default; the contract reports all of them.
System.Settings.Set({ maxErrors: 1000 });

export interface Validator {
  /** @returns every failure of a body, one for each field; none exactly when the body is acceptable */
  failures(body: Readonly<Record<string, unknown>>): FieldError[];
}

export function validatorOf(schema: TObject): Validator {
  const compiled = Compile(schema);
  return {
    failures: (body) => {
      if (compiled.Check(body)) return [];
      // This comes first, because the library stops at a number of failures, and thousands of unknown fields
      // would hide the others.
      const { known, unknown } = separateUnknownFields(schema, body);
      const found = new Map<string, FieldError>();
      for (const error of compiled.Errors(known) as unknown as TLocalizedValidationError[]) {
        for (const failure of explain(error, schema, known)) {
          // The first failure of a field is the one to fix first: its type before its length.
          if (!found.has(failure.field)) found.set(failure.field, failure);
        }
      }
      const failures = [...unknown.map(unknownField), ...found.values()];
      // A failure that has no explanation here is still a failure.
      return failures.length > 0
        ? failures
        : [fieldError("", "invalid_type", "is not what this operation takes")];
    },
  };
}

function unknownField(field: string): FieldError {
  return { field, code: "unknown_field", message: `${field || '""'} is not a field of this operation.` };
}

const explanations: Record<string, (limit: unknown) => [FieldErrorCode, string]> = {
  type: (type) => ["invalid_type", `must be ${article(String(type))}`],
  minimum: (limit) => ["out_of_range", `must be at least ${limit}`],
  maximum: (limit) => ["out_of_range", `must be at most ${limit}`],
  minLength: (limit) => ["too_short", `must have at least ${count(limit, "character")}`],
  maxLength: (limit) => ["too_long", `must have at most ${count(limit, "character")}`],
  minItems: (limit) => ["too_short", `must have at least ${count(limit, "item")}`],
  maxItems: (limit) => ["too_long", `must have at most ${count(limit, "item")}`],
  uniqueItems: () => ["not_allowed_value", "must not hold the same value twice"],
};

const formats: Record<string, string> = {
  "plain-text": "must be text without control characters or bidirectional overrides",
  "plain-lines": "must be text without bidirectional overrides or control characters other than line feeds",
  e164: "must be an international phone number such as +34600111222",
  email: "must be an e-mail address such as ana@example.com",
  date: "must be a date that exists, as YYYY-MM-DD",
  moment: "must be a day or a time that exists, as YYYY-MM-DD or YYYY-MM-DD HH:MM:SS",
  "visible-ascii": "must be visible ASCII characters, without spaces",
};

function explain(error: TLocalizedValidationError, schema: TObject, body: unknown): FieldError[] {
  const { keyword, instancePath } = error;
  const params = error.params as Record<string, unknown>;
  const field = instancePath.slice(1).replaceAll("/", ".");
  if (keyword === "required") {
    return (params.requiredProperties as string[]).map((name) =>
      fieldError(joinField(field, name), "required", "is required"),
    );
  }
  if (keyword === "enum" || keyword === "const" || keyword === "anyOf") {
    const value = valueAt(body, instancePath);
    const allowed = schemaAt(schema, instancePath)?.enum;
    if (typeof value !== "string") return [fieldError(field, "invalid_type", "must be a string")];
    return [
      fieldError(
        field,
        "not_allowed_value",
        `must be one of: ${allowed?.join(", ") ?? "the allowed values"}`,
      ),
    ];
  }
  if (keyword === "format") {
    const value = valueAt(body, instancePath);
    if (typeof value === "string" && (value.trim() === "" || isBlank(value)))
      return [fieldError(field, "too_short", "must hold a visible character")];
    return [fieldError(field, "invalid_format", formats[String(params.format)] ?? "has the wrong format")];
  }
  if (keyword === "pattern") {
    const [example] = schemaAt(schema, instancePath)?.examples ?? [];
    const problem = example === undefined ? "has the wrong format" : `must look like ${String(example)}`;
    return [fieldError(field, "invalid_format", problem)];
  }
  const explanation = explanations[keyword];
  if (explanation === undefined) return [];
  const [code, message] = explanation(params.limit ?? params.type);
  return [fieldError(field, code, message)];
}

function count(limit: unknown, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? "" : "s"}`;
}

function article(type: string): string {
  return type === "integer" || type === "array" || type === "object" ? `an ${type}` : `a ${type}`;
}

function valueAt(body: unknown, instancePath: string): unknown {
  return instancePath
    .split("/")
    .slice(1)
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], body);
}

interface FieldSchema {
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
}

/** The schema of a field: properties by name, the items of an array by index. */
function schemaAt(schema: TObject, instancePath: string): FieldSchema | undefined {
  return instancePath
    .split("/")
    .slice(1)
    .reduce<unknown>((found, name) => {
      const parent = found as { properties?: Record<string, TSchema>; items?: TSchema } | undefined;
      return parent?.properties?.[name] ?? parent?.items;
    }, schema) as FieldSchema | undefined;
}
