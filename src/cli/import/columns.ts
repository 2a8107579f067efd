/** Finds the column of each field. */
import { usageError } from "../cli-error.ts";
import type { ImportKind } from "./kinds.ts";

/** The columns that --column names for fields; undefined for a field that is not imported. */
export type Mapping = ReadonlyMap<string, string | undefined>;

export interface Column {
  readonly field: string;
  readonly index: number;
}

/**
 * Reads the values of --column, such as amount=dollar_value.
 * @throws CliError when a value names no field of the kind
 */
export function readMapping({ fields }: ImportKind, texts: readonly string[]): Mapping {
  const mapping = new Map<string, string | undefined>();
  for (const text of texts) {
    const at = text.indexOf("=");
    const field = text.slice(0, at).trim();
    if (at === -1) throw usageError(`--column ${text} must be a field and a column: amount=dollar_value.`);
    if (!(field in fields)) {
      const known = `The fields are: ${Object.keys(fields).join(", ")}.`;
      throw usageError(`--column names the field "${field}".`, known);
    }
    mapping.set(field, text.slice(at + 1).trim() || undefined);
  }
  return mapping;
}

/**
 * Finds the columns of the fields.
 * @param names of the file's columns, in their order
 * @throws CliError when a required column is missing
 */
export function findColumns(kind: ImportKind, names: readonly string[], mapping: Mapping): Column[] {
  const seen = `The columns are: ${names.join(", ")}.`;
  const columns: Column[] = [];
  for (const field of Object.keys(kind.fields)) {
    const name = mapping.has(field) ? mapping.get(field) : field;
    if (name === undefined) continue;
    const index = names.indexOf(name);
    if (index === -1 && mapping.has(field)) {
      throw usageError(`There is no column "${name}" for ${field}.`, seen);
    }
    if (names.lastIndexOf(name) !== index) throw usageError(`There are two columns "${name}".`, seen);
    if (index !== -1) columns.push({ field, index });
  }
  for (const group of kind.needs) {
    if (columns.some(({ field }) => group.includes(field))) continue;
    throw usageError(
      `There is no column for ${group.join(" or ")}.`,
      seen,
      `Name the column: --column ${group[0]}=NAME. If the first line is not a header: --no-header --columns NAME,NAME,…`,
    );
  }
  return columns;
}

/** The names of the columns that are not imported. */
export function unusedColumns(names: readonly string[], columns: readonly Column[]): string[] {
  const used = new Set(columns.map(({ index }) => index));
  return names.filter((name, index) => !used.has(index) && name !== "" && name !== "-");
}

/**
 * Rejects a first line that is one column, but several columns with another delimiter.
 * @throws CliError that names the other delimiter
 */
export function checkDelimiter([only = "", ...others]: readonly string[], line: number): void {
  if (others.length > 0) return;
  const candidates = [
    [/;/, '";"'],
    [/\t/, "tab"],
    [/\S +\S/, "whitespace"],
    [/,/, '","'],
  ] as const;
  const better = candidates.find(([pattern]) => pattern.test(only));
  if (better === undefined) return;
  const shown = only.length > 60 ? `${only.slice(0, 60)}…` : only;
  throw usageError(`Line ${line} is one column by this delimiter: ${shown}`, `Try --delimiter ${better[1]}.`);
}
