/** Removes from a body what counts as absent, before its fields are checked. */
import type { TSchema } from "typebox";
import { bodyOf } from "./body.ts";
import type { Operation } from "./operation.ts";

export type UnknownFields = "reject" | "ignore";
type Body = Readonly<Record<string, unknown>>;

/** Optional fields for which an empty value means absent. */
const absentWhenEmpty: ReadonlySet<string> = new Set(["event_types", "reason", "search"]);

interface ObjectOrArray {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: TSchema;
  readonly anyOf?: readonly { readonly type?: unknown }[];
}

/**
 * Makes the function that reads an operation's bodies. It removes `null` from optional fields that can't be null, the
 * empty values of fields in `absentWhenEmpty`, and `idempotency_key` where nothing is written.
 * @param unknownFields whether unknown fields are left in, to be rejected, or removed
 */
export function acceptedFields(operation: Operation, unknownFields: UnknownFields): (body: Body) => Body {
  const schema = bodyOf(operation);
  const ignoresKey = !("idempotency_key" in schema.properties);
  return (body) => {
    const { idempotency_key: _, ...withoutKey } = body;
    const read = ignoresKey && Object.hasOwn(body, "idempotency_key") ? withoutKey : body;
    return accepted(schema, read, unknownFields) as Body;
  };
}

function accepted(schema: TSchema, value: unknown, unknownFields: UnknownFields): unknown {
  const { properties, required = [], additionalProperties, items } = schema as ObjectOrArray;
  if (Array.isArray(value)) {
    // Most lists hold plain values, from which nothing is removed.
    if (items === undefined || (items as ObjectOrArray).properties === undefined) return value;
    return value.map((item) => accepted(items, item, unknownFields));
  }
  if (properties === undefined || typeof value !== "object" || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) {
      if (unknownFields === "reject" || additionalProperties !== false) kept[name] = member;
    } else if (required.includes(name) || !isAbsent(name, member, property)) {
      kept[name] = accepted(property, member, unknownFields);
    }
  }
  return kept;
}

function isAbsent(name: string, value: unknown, schema: TSchema): boolean {
  if (value === null) return !(schema as ObjectOrArray).anyOf?.some(({ type }) => type === "null");
  if (!absentWhenEmpty.has(name)) return false;
  return value === "" || (Array.isArray(value) && value.length === 0);
}
