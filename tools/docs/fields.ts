/** The fields of a schema as the documents list them: each with its place, its type and its description. */
import type { TSchema } from "typebox";

/** A field, also of an object in another. */
export interface Field {
  /** Such as balances.points, or why[].code in a list. */
  readonly path: string;
  /** The JSON type, and which values it takes. */
  readonly type: string;
  /** Whether the schema's own object must have it. */
  readonly isRequired: boolean;
  readonly description: string;
}

/** A schema as the documents publish it. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Every field of a schema. Fields of objects and of lists of objects follow theirs. */
export function fieldsOf(schema: TSchema): Field[] {
  // Without the notes that typebox keeps in schemas.
  const published = JSON.parse(JSON.stringify(schema)) as Schema;
  return objectsIn(published).flatMap((object) => fieldsIn(object, "", ""));
}

/** @param condition which of several objects has the fields */
function fieldsIn({ properties = {}, required = [] }: Schema, prefix: string, condition: string): Field[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = prefix + name;
    const type = typeText(field) + (onlyValue(field) === undefined ? condition : "");
    const isRequired = prefix === "" && required.includes(name);
    const variants = objectsIn(field);
    const inner = `${path}${field.type === "array" ? "[]" : ""}.`;
    return [
      { path, type, isRequired, description: field.description ?? "" },
      ...variants.flatMap((object) =>
        fieldsIn(object, inner, variants.length > 1 ? conditionOf(object) : ""),
      ),
    ];
  });
}

/** Every object that a field may be, or that its list may hold. */
function objectsIn({ properties, items, anyOf = [], ...schema }: Schema): Schema[] {
  if (properties !== undefined) return [{ ...schema, properties }];
  return [...anyOf, ...(items === undefined ? [] : [items])].flatMap(objectsIn);
}

/** What distinguishes an object from the others that a field may be: the field with one value. */
function conditionOf({ properties = {} }: Schema): string {
  const [name, field] = Object.entries(properties).find(([, { enum: values }]) => values?.length === 1) ?? [];
  return field === undefined ? "" : `, if ${name} is ${JSON.stringify(onlyValue(field))}`;
}

function onlyValue({ enum: values, const: value }: Schema): unknown {
  return value ?? (values?.length === 1 ? values[0] : undefined);
}

/** The JSON type of a field, and which values it takes. Bounds that no caller meets by accident are left out. */
function typeText(schema: Schema): string {
  const { type, items, anyOf, default: fallback } = schema;
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeText))].join(" or ");
  const ending = fallback === undefined ? "" : `, ${JSON.stringify(fallback)} by default`;
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values !== undefined)
    return `string: ${values.map((value) => JSON.stringify(value)).join(" or ")}${ending}`;
  if (type === "array") return `array of ${typeText(items ?? {})}`;
  if (type === "integer") return `integer${rangeText(schema)}${ending}`;
  if (type === "string") return `string${textType(schema)}${ending}`;
  // A column of a table can have values of any type.
  return `${type ?? "object"}${ending}`;
}

function rangeText({ minimum, maximum }: Schema): string {
  const shown = (bound: number | undefined) =>
    bound === undefined || Math.abs(bound) >= 2 ** 31 - 1 ? undefined : bound.toLocaleString("en");
  const [least, most] = [shown(minimum), shown(maximum)];
  if (most !== undefined) return `, ${least ?? 0} to ${most}`;
  return least === undefined || Number(minimum) <= 1 ? "" : `, at least ${least}`;
}

const formats: Readonly<Record<string, string>> = {
  date: ", YYYY-MM-DD",
  email: ", e-mail address",
  e164: ", phone number",
};

function textType({ format, maxLength }: Schema): string {
  const name = formats[format ?? ""];
  if (name !== undefined) return name;
  return maxLength === undefined || maxLength > 10_000 ? "" : `, up to ${maxLength} characters`;
}
