/** What an entry of the audit log says that has changed. */
import type { DataOf } from "../api/declarations.ts";
import { numberOf, unitOf } from "../values/periods.ts";
import { periodText } from "./dates.ts";

/** The fields of a record. Those of a record inside have the name of that before their own. */
function fieldsOf(record: object, place: readonly string[] = []): [string, unknown][] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    if (numberOf(name, Object.keys(record)) !== undefined) return [];
    const unit: unknown = record[unitOf(name) as keyof typeof record];
    const path = [...place, name];
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isRecord) return fieldsOf(value, path);
    const isPeriod = typeof value === "number" && typeof unit === "string";
    return [[path.join("."), isPeriod ? periodText(value, unit) : value] as [string, unknown]];
  });
}

/** The changed fields before and after; of a new or a deleted record, all fields. What stayed only says which record it is. */
export function changesOf(entry: DataOf<"/op/audit/list">) {
  const { before, after } = entry;
  const [old, current] = [new Map(fieldsOf(before ?? {})), new Map(fieldsOf(after ?? {}))];
  const isShown = (path: string) => {
    // The page and the entry name these already.
    const isNamed = path === "contact_id" || path === "business_id";
    if (isNamed && (current.get(path) ?? old.get(path)) === entry[path]) return false;
    const isSame = JSON.stringify(old.get(path)) === JSON.stringify(current.get(path));
    const saysWhich = path.endsWith("_id") && entry.contact_id === null && old.get(path) !== null;
    return !isSame || saysWhich;
  };
  const sidesOf = (path: string) => {
    const [from, to] = [old.get(path), current.get(path)];
    if (before === null || after === null) return [before === null ? to : from];
    return JSON.stringify(from) === JSON.stringify(to) || !old.has(path) ? [to] : [from, to];
  };
  const paths = [...new Set([...old.keys(), ...current.keys()])].filter(isShown);
  return paths.map((path) => ({ path, sides: sidesOf(path) }));
}
