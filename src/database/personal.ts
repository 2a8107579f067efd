/** The names of personal fields, and values without these: for the audit log and events, which are never erased. */
import { memberTables } from "./tables.ts";

/**
 * A name is personal in every table, request and response, or in none (test/database/tables.test.ts). So whatever an operation
 * declares, and whichever record it passes, the names tell what is personal. Passwords are stored as hashes only.
 */
export const personalNames: ReadonlySet<string> = new Set([
  ...memberTables.flatMap(({ erased }) => Object.keys(erased)),
  ...["password", "new_password", "new_card_code", "page_path"],
  // Parts of files that are imported.
  ...["sample_value", "line_bytes"],
]);

/** A value without its personal fields, also inside. */
export function withoutPersonalData<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutPersonalData(item)) as Value;
  const kept = Object.entries(value).filter(([name]) => !personalNames.has(name));
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutPersonalData(field)])) as Value;
}
