/** Turns records into the lines that the service takes, each with the digest that it is known by. */
import { hash } from "node:crypto";
import type { Column } from "./columns.ts";
import type { ImportKind } from "./kinds.ts";
import type { CsvRecord } from "./records.ts";
import { Problem, type ReadValue } from "./values.ts";

/** Why a line is not imported. */
export interface Rejection {
  readonly line: number;
  /** Empty for the line as a whole. */
  readonly field: string;
  readonly message: string;
}

/** A line as the service takes it. */
export interface Line extends Readonly<Record<string, string | number>> {
  readonly line: number;
  readonly digest: string;
}

export interface ReadColumn extends Column {
  readonly read: ReadValue;
}

/**
 * Makes what turns records into lines; it must see every record of the file, in their order. A line with a
 * reference is known by that; any other by itself and everything before it, so that equal lines of one file are
 * not mistaken for each other, and the same file always gives the same digests, whatever it is called.
 */
export function lineMaker(
  kind: ImportKind,
  columns: readonly ReadColumn[],
  width: number,
): (record: CsvRecord) => Line | Rejection[] {
  let chain = `loyalty import of ${kind.name}`;
  return (record) => {
    chain = hash("sha256", chain + JSON.stringify(record.fields));
    if (record.fields.length !== width) return [wrongWidth(record, width)];
    const line: Record<string, string | number> = { line: record.line, digest: chain.slice(0, 32) };
    const rejections: Rejection[] = [];
    for (const { field, index, read } of columns) {
      const text = record.fields[index] as string;
      if (text === "") continue;
      const value = read(text);
      if (value instanceof Problem) rejections.push(rejection(record, field, value.message));
      else if (/[\r\n]/.test(text)) rejections.push(rejection(record, field, "goes over several lines"));
      else line[field] = value;
    }
    const reference = line[kind.reference];
    if (reference !== undefined) line.digest = referenceDigest(kind, reference);
    return rejections.length > 0 ? rejections : (line as Line);
  };
}

function referenceDigest(kind: ImportKind, reference: string | number): string {
  return hash("sha256", `loyalty import of ${kind.name} by ${kind.reference} ${reference}`).slice(0, 32);
}

function rejection({ line, lastLine }: CsvRecord, field: string, problem: string): Rejection {
  // It may be the reader's only hint that lines were taken for one.
  const where = lastLine > line ? ` (lines ${line} to ${lastLine}: is a quote not closed?)` : "";
  return { line, field, message: `${field === "" ? "The line" : field} ${problem}${where}.` };
}

function wrongWidth(record: CsvRecord, width: number): Rejection {
  return rejection(record, "", `has ${record.fields.length} columns and not ${width}`);
}
