/** Options of a check that were saved under a name. */
import { nameKey } from "../../domain/text.ts";
import type { ImportOptions } from "./import-jobs.ts";

type Saved = Partial<Pick<ImportOptions, "columns" | "defaults" | "locations">>;

/** Options with those that were saved under a name. Of columns, defaults and locations, each item that is given replaces the saved one. */
export function withSaved<Given extends Saved>(saved: Saved | undefined, given: Given): Given {
  const merged = <Item>(
    key: (item: Item) => string,
    before: readonly Item[] = [],
    now: readonly Item[] = [],
  ) => {
    const all = new Map([...before, ...now].map((item) => [key(item), item]));
    return [...all.values()];
  };
  const field = (item: { readonly field: string }) => item.field;
  const lists = {
    columns: merged(field, saved?.columns, given.columns),
    defaults: merged(field, saved?.defaults, given.defaults),
    locations: merged(({ name }) => nameKey(name), saved?.locations, given.locations),
  };
  const some = Object.entries(lists).filter(([, list]) => list.length > 0);
  return { ...saved, ...given, ...Object.fromEntries(some) };
}
