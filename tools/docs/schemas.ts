/** JSON, the schemas that are published, made from those of the declarations, and examples of them. */
import type { TSchema } from "typebox";

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** What a format says, for tools that don't know it. */
const formats: Readonly<Record<string, JsonObject>> = {
  date: { minLength: 10, maxLength: 10 },
  e164: { pattern: "^\\+[1-9][0-9]{6,14}$" },
  "printable-ascii": { pattern: "^[\\x21-\\x7E](?:[\\x20-\\x7E]*[\\x21-\\x7E])?$" },
  "visible-ascii": { pattern: "^[\\x21-\\x7E]+$" },
};

const int32Limit = 2 ** 31;

/** The published form of a schema: plain JSON Schema 2020-12, with what generators want spelled out. */
export function publishedSchema(schema: TSchema): JsonObject {
  // The library keeps notes of its own on schemas; a trip through JSON leaves what is JSON Schema.
  return publish(JSON.parse(JSON.stringify(schema)) as JsonObject);
}

function publish(schema: JsonObject): JsonObject {
  // These facts are for programs of our own.
  const { anyOf, properties, items, ...facts } = schema;
  const {
    unit: _unit,
    zone: _zone,
    absentWhenEmpty: _empty,
    shownOnce: _once,
    file: _file,
    personal: _who,
    ...rest
  } = facts;
  const nullable = Array.isArray(anyOf) ? nullableOf(anyOf as JsonObject[]) : undefined;
  if (nullable !== undefined) {
    const { type, enum: values, ...of } = publish(nullable);
    const choice = Array.isArray(values) ? { enum: [...values, null] } : {};
    return { type: [type as string, "null"], ...choice, ...of, ...rest };
  }
  return {
    ...(Array.isArray(rest.enum) ? { type: "string" } : {}),
    ...rest,
    ...(rest.type === "integer" ? { format: integerFormat(rest) } : {}),
    ...(typeof rest.format === "string" ? formats[rest.format] : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((option) => publish(option as JsonObject)) } : {}),
    ...(properties ? { properties: mapValues(properties as JsonObject, publish) } : {}),
    ...(items ? { items: publish(items as JsonObject) } : {}),
  };
}

/** The other schema of "this or null". */
function nullableOf(options: readonly JsonObject[]): JsonObject | undefined {
  const others = options.filter(({ type }) => type !== "null");
  return options.length === 2 && others.length === 1 ? others[0] : undefined;
}

function integerFormat({ minimum, maximum }: JsonObject): string {
  const fits = Number(minimum) >= -int32Limit && Number(maximum) < int32Limit;
  return fits ? "int32" : "int64";
}

function mapValues(object: JsonObject, change: (value: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value as JsonObject)]),
  );
}

/** A value that a published schema accepts: the examples of its fields, put together. */
export function exampleOf(schema: JsonObject): Json {
  if (Array.isArray(schema.examples)) return schema.examples[0] as Json;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] as Json;
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0] as JsonObject);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "array") return [exampleOf(schema.items as JsonObject)];
  if (type === "object") {
    const properties = Object.entries((schema.properties ?? {}) as JsonObject);
    return Object.fromEntries(properties.map(([name, field]) => [name, exampleOf(field as JsonObject)]));
  }
  throw new Error(`A field has no example: ${JSON.stringify(schema)}`);
}
