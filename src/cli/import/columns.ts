/** Which column of a file holds which field. */
import { usageError } from "../failure.ts";
import type { ImportKind } from "./kinds.ts";

/** Fields with the columns that were named for them; undefined for those not to be imported. */
export type Mapping = ReadonlyMap<string, string | undefined>;

export interface Column {
  readonly field: string;
  readonly index: number;
}

/**
 * Reads what --column says, such as amount=dollar_value.
 * @throws CliError when it names no field of the kind
 */
export function readMapping(kind: ImportKind, texts: readonly string[]): Mapping {
  const mapping = new Map<string, string | undefined>();
  for (const text of texts) {
    const at = text.indexOf("=");
    const field = text.slice(0, at).trim();
    if (at === -1) throw usageError(`--column ${text} must be a field and a column: amount=dollar_value.`);
    if (!(field in kind.fields)) {
      throw usageError(
        `--column names the field "${field}".`,
        `The fields are: ${Object.keys(kind.fields).join(", ")}.`,
      );
    }
    mapping.set(field, text.slice(at + 1).trim() || undefined);
  }
  return mapping;
}

/**
 * Finds the columns of the fields.
 * @param names of the file's columns, in their order
 * @throws CliError when a column that is needed is not there
 */
export function findColumns(kind: ImportKind, names: readonly string[], mapping: Mapping): Column[] {
  const seen = `The columns are: ${names.join(", ")}.`;
  const columns: Column[] = [];
  for (const field of Object.keys(kind.fields)) {
    const name = mapping.has(field) ? mapping.get(field) : field;
    if (name === undefined) continue;
    const index = names.indexOf(name);
    if (index !== -1) {
      if (names.lastIndexOf(name) !== index) throw usageError(`There are two columns "${name}".`, seen);
      columns.push({ field, index });
    } else if (mapping.has(field)) {
      throw usageError(`There is no column "${name}" for ${field}.`, seen);
    }
  }
  for (const some of kind.needs) {
    if (columns.some(({ field }) => some.includes(field))) continue;
    throw usageError(
      `There is no column for ${some.join(" or ")}.`,
      seen,
      `Say which it is: --column ${some[0]}=NAME. If the first line is no header: --no-header --columns NAME,NAME,…`,
    );
  }
  return columns;
}

/** The columns that no field comes from. */
export function unusedColumns(names: readonly string[], columns: readonly Column[]): string[] {
  const used = new Set(columns.map(({ index }) => index));
  return names.filter((name, index) => !used.has(index) && name !== "" && name !== "-");
}

/**
 * Refuses a first line that is one column by the delimiter, and several by another.
 * @throws CliError that says which
 */
export function checkDelimiter(fields: readonly string[], line: number): void {
  const [only = ""] = fields;
  if (fields.length !== 1) return;
  const better = only.includes(";")
    ? '";"'
    : only.includes("\t")
      ? "tab"
      : /\S +\S/.test(only)
        ? "whitespace"
        : only.includes(",")
          ? '","'
          : undefined;
  if (better === undefined) return;
  const shown = only.length > 60 ? `${only.slice(0, 60)}…` : only;
  throw usageError(`Line ${line} is one column by this delimiter: ${shown}`, `Try --delimiter ${better}.`);
}
