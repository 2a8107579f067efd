/** Turns records into the lines that the service takes, each with the digest that it is known by. */
import { hash } from "node:crypto";
import type { Column } from "./columns.ts";
import { createEqualLines } from "./equal-lines.ts";
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
 * reference is known by that; any other by what is imported of it, and by how many equal lines came before it. So a
 * line keeps its digest when others are mended, added, removed or sorted, and in a file that overlaps with this one.
 * @param batch names a file whose lines are not to be taken for equal ones of other files
 */
export function lineMaker(
  kind: ImportKind,
  columns: readonly ReadColumn[],
  width: number,
  batch: string | undefined,
): (record: CsvRecord) => Line | Rejection[] {
  const fields = columns.map(({ field }) => field).sort();
  const digestOf = contentDigest(kind, batch);
  return (record) => {
    if (record.fields.length !== width) return [wrongWidth(record, width)];
    const line: Record<string, string | number> = { line: record.line, digest: "" };
    const rejections: Rejection[] = [];
    for (const { field, index, read } of columns) {
      const text = record.fields[index] as string;
      if (text === "") continue;
      const value = read(text);
      if (value instanceof Problem) rejections.push(rejection(record, field, value.message));
      else if (/[\r\n]/.test(text)) rejections.push(rejection(record, field, "goes over several lines"));
      else line[field] = value;
    }
    if (rejections.length > 0) return rejections;
    const reference = line[kind.reference];
    line.digest =
      reference === undefined ? digestOf(JSON.stringify(line, fields)) : referenceDigest(kind, reference);
    return line as Line;
  };
}

/** The values as they are imported: quotes, the order of columns and those left out make no difference. */
function contentDigest(kind: ImportKind, batch: string | undefined) {
  const before = `loyalty import of ${kind.name} by content ${JSON.stringify(batch ?? "")} `;
  const equalLines = createEqualLines();
  return (content: string): string => {
    const text = before + content;
    const found = hash("sha256", text, "buffer");
    const equal = equalLines.add(found);
    const digest = equal === 0 ? found : hash("sha256", `${equal} before, ${text}`, "buffer");
    return digest.toString("hex", 0, 16);
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
