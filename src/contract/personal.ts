/** What follows from the marks of personal fields (`fields.personal`): which responses have personal data, and what an erasure leaves. */
import type { TSchema } from "typebox";

interface Schema {
  readonly type?: string;
  /** The value after an erasure. */
  readonly personal?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

function partsOf({ properties = {}, items, anyOf = [] }: Schema): Schema[] {
  return [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf];
}

/** Whether values of a schema have personal data. */
export function hasPersonalData(schema: TSchema): boolean {
  const given = schema as Schema;
  return given.personal !== undefined || partsOf(given).some((part) => hasPersonalData(part as TSchema));
}

/** The names of the personal fields in a schema. */
export function personalFieldsOf(schema: TSchema): Set<string> {
  const given = schema as Schema;
  const names = Object.entries(given.properties ?? {}).flatMap(([name, field]) => {
    const options = [field, ...(field.anyOf ?? []), ...(field.items === undefined ? [] : [field.items])];
    return options.some(({ personal }) => personal !== undefined) ? [name] : [];
  });
  const inner = partsOf(given).flatMap((part) => [...personalFieldsOf(part as TSchema)]);
  return new Set([...names, ...inner]);
}

/** A value of a schema as it is after an erasure: personal fields are null, or else have the value of their mark. */
export function afterErasure(schema: TSchema, value: unknown): unknown {
  const { personal, properties, items, anyOf } = schema as Schema;
  if (value === null || value === undefined) return value;
  if (personal !== undefined) return personal;
  if (anyOf !== undefined) {
    const options = anyOf.filter((option) => hasPersonalData(option as TSchema));
    if (options.length === 0) return value;
    return anyOf.some(({ type }) => type === "null") ? null : afterErasure(options[0] as TSchema, value);
  }
  if (items !== undefined) return (value as unknown[]).map((item) => afterErasure(items as TSchema, item));
  if (properties === undefined) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    const part = properties[name];
    return [name, part === undefined ? field : afterErasure(part as TSchema, field)];
  });
  return Object.fromEntries(fields);
}
