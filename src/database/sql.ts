/**
 * Statements as tagged templates. The text of a template is sent with parameters ($1, $2, …) and prepared under a
 * name made from a hash of that text, so the server parses each text once for each connection.
 */
import { createHash } from "node:crypto";

/** A parameter of a statement. Objects are sent as JSON, arrays as PostgreSQL arrays. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array | readonly SqlValue[] | object;

export interface Statement {
  readonly name: string;
  readonly text: string;
  /** In the text format of the protocol; bytes are sent as they are. */
  readonly values: readonly (string | Uint8Array | null)[];
}

/** A part of a statement with its values. */
export class Fragment {
  readonly strings: readonly string[];
  readonly values: readonly (SqlValue | Fragment)[];

  constructor(strings: readonly string[], values: readonly (SqlValue | Fragment)[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** Makes a part of a statement. It can be used like a value in a template. */
export function fragment(
  strings: TemplateStringsArray,
  ...values: readonly (SqlValue | Fragment)[]
): Fragment {
  return new Fragment(strings, values);
}

/** Makes a part from a text. Nothing is escaped, so never pass input. */
export function raw(text: string): Fragment {
  return new Fragment([text], []);
}

/** The quoted name of a table, a column or a database. */
export function nameInSql(name: string): Fragment {
  return raw(quotedName(name));
}

export const quotedName = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Values or parts, with commas between them. */
export function list(items: readonly (SqlValue | Fragment)[]): Fragment {
  const commas = items.slice(1).map(() => ", ");
  return new Fragment(["", ...commas, ""], items);
}

/**
 * A table of given rows for a statement. Its column `nth` numbers them from 1.
 * @param columns their names and types, such as "contact_id bigint, reason text". Columns of arrays are text in the table,
 *   because an array can't contain arrays of several lengths.
 */
export function tableOf(name: string, rows: readonly object[], columns: string): Fragment {
  const arrays = columnsOf(columns).map(([column, type]) => {
    const values = (rows as readonly Record<string, SqlValue>[]).map((row) => row[column] as SqlValue);
    if (!type.endsWith("[]")) return fragment`${values}::${raw(type)}[]`;
    return fragment`${values.map((value) => textOf(value))}::text[]`;
  });
  const names = columnsOf(columns).map(([column]) => column);
  return fragment`unnest(${list(arrays)}) WITH ORDINALITY AS ${raw(`${name} (${names.join(", ")}, nth)`)}`;
}

/** Joins parts without separators. */
export function inSequence(parts: readonly Fragment[]): Fragment {
  return new Fragment(["", ...parts.map(() => "")], parts);
}

/** The beginning of a statement that inserts rows. ON CONFLICT may follow. */
export function insertOf(table: string, rows: readonly object[], columns: string): Fragment {
  const names = columnsOf(columns).map(([column]) => column);
  const values = columnsOf(columns).map(([column, type]) =>
    type.endsWith("[]") ? `${column}::${type}` : column,
  );
  return fragment`INSERT INTO ${raw(table)} (${raw(names.join(", "))}) SELECT ${raw(values.join(", "))}
    FROM ${tableOf("added", rows, columns)}`;
}

/** Some fields of a record. One that is undefined stays as it is. */
export type ChangeOf<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | undefined };

/** The assignments of a change. @param change has at least one of the fields */
export function assignmentsOf<Fields extends object>(
  fields: readonly (keyof Fields & string)[],
  change: ChangeOf<Fields>,
): Fragment {
  const given = fields.filter((field) => change[field] !== undefined);
  return list(given.map((field) => fragment`${nameInSql(field)} = ${change[field] as SqlValue}`));
}

function columnsOf(columns: string): [name: string, type: string][] {
  return columns.split(",").map((column) => column.trim().split(" ") as [string, string]);
}

/** The names of texts, each hashed once. */
const names = new Map<string, string>();

export function statementOf(strings: readonly string[], values: readonly (SqlValue | Fragment)[]): Statement {
  const parts: string[] = [];
  const parameters: SqlValue[] = [];
  assemble(strings, values, parts, parameters);
  const text = parts.join("");
  return { name: statementName(text), text, values: parameters.map(textOf) };
}

function assemble(
  strings: readonly string[],
  values: readonly (SqlValue | Fragment)[],
  parts: string[],
  parameters: SqlValue[],
): void {
  for (const [index, string] of strings.entries()) {
    parts.push(string);
    if (index >= values.length) continue;
    const value = values[index] as SqlValue | Fragment;
    if (value instanceof Fragment) assemble(value.strings, value.values, parts, parameters);
    else parts.push(`$${parameters.push(value)}`);
  }
}

function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash("sha256").update(text).digest("base64url").slice(0, 22);
    names.set(text, name);
  }
  return name;
}

/**
 * Converts a value to PostgreSQL's text format. This is done before the driver gets it, so that errors occur before anything is
 * sent.
 * @throws TypeError for undefined, a promise, a fragment or a Date
 */
function textOf(value: SqlValue): string | Uint8Array | null {
  if (typeof value === "string" || value === null) return value;
  if (value === undefined) throw new TypeError("a parameter of a statement is undefined");
  if (typeof value !== "object") return String(value);
  if (value instanceof Uint8Array) return value;
  if (value instanceof Promise) throw new TypeError("a statement is no parameter: make it a fragment");
  if (value instanceof Fragment) throw new TypeError("a fragment is no parameter");
  if (value instanceof Date) throw new TypeError("a date is no parameter: send it as text");
  return Array.isArray(value) ? arrayText(value) : JSON.stringify(value);
}

/** An array literal (PostgreSQL manual, "Array Input and Output Syntax"). */
function arrayText(values: readonly SqlValue[]): string {
  let text = "{";
  for (const value of values) {
    if (text.length > 1) text += ",";
    if (typeof value === "number") text += value;
    else if (value === null) text += "NULL";
    else text += quoted(elementText(value));
  }
  return `${text}}`;
}

function elementText(value: SqlValue): string {
  if (Array.isArray(value)) throw new TypeError("an array within an array is no parameter");
  const text = textOf(value);
  return text instanceof Uint8Array ? `\\x${Buffer.from(text).toString("hex")}` : (text as string);
}

function quoted(text: string): string {
  return /["\\]/.test(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : `"${text}"`;
}
