/** The fields of all operations, by their names: where they differ, with the choices and the unit that one of them has. */
import type { Declaration, Field, Fields } from "./declaration.ts";

export function knownFields(declarations: readonly Declaration[]): Fields {
  const known = new Map<string, Field>();
  const note = (fields: Fields): void => {
    for (const [name, { description: _, properties, items, ...field }] of Object.entries(fields)) {
      const { zone = field.zone } = known.get(name) ?? {};
      const ofItems = items && { items: { type: items.type, ...(items.enum && { enum: items.enum }) } };
      // Where operations differ, a time is one of the business.
      known.set(name, { ...known.get(name), ...field, ...ofItems, ...(zone !== field.zone && { zone: "" }) });
      note({ ...properties, ...items?.properties });
    }
  };
  for (const { input, output } of declarations) note({ ...input, output });
  return Object.fromEntries(known);
}
