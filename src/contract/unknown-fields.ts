/** Finds unknown fields separately, because the library stops at a number of failures. */
import type { TSchema } from "typebox";

export interface KnownPart {
  /** The value without unknown fields; the same value if it has none. */
  readonly known: unknown;
  /** Where they are: names and indexes from the outside in, joined by dots. */
  readonly unknown: readonly string[];
}

/**
 * Removes unknown fields from a value, at any depth, and list items far beyond the limit of the list.
 * @param schema objects that allow no additional properties say which fields they know
 * @param value plain data, as JSON has it
 */
export function separateUnknownFields(schema: TSchema, value: unknown): KnownPart {
  const unknown: string[] = [];
  return { known: withoutUnknown(schema, value, "", unknown), unknown };
}

interface ObjectOrArray {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: unknown;
  readonly items?: TSchema;
  readonly maxItems?: number;
}

function withoutUnknown(schema: TSchema, value: unknown, path: string, unknown: string[]): unknown {
  const {
    properties,
    additionalProperties,
    items,
    maxItems = Number.POSITIVE_INFINITY,
  } = schema as ObjectOrArray;
  if (Array.isArray(value)) {
    if (items === undefined) return value;
    // One too many shows that there are too many.
    return value
      .slice(0, maxItems + 1)
      .map((item, index) => withoutUnknown(items, item, joinField(path, String(index)), unknown));
  }
  if (properties === undefined || typeof value !== "object" || value === null) return value;
  const known: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const field = joinField(path, name);
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) known[name] = withoutUnknown(property, member, field, unknown);
    else if (additionalProperties === false) unknown.push(field);
    else known[name] = member;
  }
  return known;
}

/** The name of a field within another; that of a field of the request itself is its own. */
export function joinField(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}
