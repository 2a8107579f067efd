/** Finds texts that a list has twice, as rules compare them: without regard to case and outer blanks. */
import type { TSchema } from "typebox";
import { nameKey, shownText } from "../domain/text.ts";
import { type FieldError, wrongValue } from "./field-errors.ts";

/** The parts of a JSON Schema that tell where such lists are. */
interface ListSchema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: ListSchema;
  readonly uniqueItems?: boolean;
}

type Find = (value: unknown, field: string, found: FieldError[]) => void;

/** Makes the function that adds the failure of each list in a body; undefined if no list of the schema has texts that must differ. */
export function repeatedTexts(schema: ListSchema): Find | undefined {
  const { items, uniqueItems, properties } = schema;
  if (items !== undefined) {
    if (uniqueItems === true && items.type === "string" && items.enum === undefined) return findInList;
    const findInItem = repeatedTexts(items);
    return (
      findInItem &&
      ((value, field, found) => {
        if (!Array.isArray(value)) return;
        for (const [index, item] of value.entries()) findInItem(item, `${field}.${index}`, found);
      })
    );
  }
  const members = Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const find = repeatedTexts(member as ListSchema);
    return find === undefined ? [] : [{ name, find }];
  });
  if (members.length === 0) return undefined;
  return (value, field, found) => {
    if (typeof value !== "object" || value === null) return;
    for (const { name, find } of members)
      find((value as Record<string, unknown>)[name], field === "" ? name : `${field}.${name}`, found);
  };
}

function findInList(value: unknown, field: string, found: FieldError[]): void {
  if (!Array.isArray(value)) return;
  const seen = new Set<string>();
  for (const text of value) {
    if (typeof text !== "string") continue;
    const key = nameKey(text);
    if (seen.has(key)) {
      const problem = `must not contain ${JSON.stringify(shownText(text.trim()))} twice: case and outer blanks don't matter`;
      found.push(wrongValue(field, problem));
      return;
    }
    seen.add(key);
  }
}
