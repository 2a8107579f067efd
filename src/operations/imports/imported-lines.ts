/** What identifies a line of an import, and whether it is imported, skipped or rejected. */
import { hash } from "node:crypto";
import type { EarlierLine, EarlierLines, Kept, TriedLine } from "./chunks.ts";
import { type CheckedLine, type LineError, type LineName, lineError } from "./imports.ts";

/** Lines with one identity are one record. */
export interface Identity {
  /** The digest under which the line is recorded. A digest is recorded once. */
  readonly digest: string;
  /** The digests under which earlier imports can have recorded the line. */
  readonly candidates: readonly string[];
  /** With a reference: a digest of what is compared with a line that was imported before. */
  readonly content: string | null;
}

/** 128 bits in hex that identify values. */
export function digestOf(...values: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(values)).slice(0, 32);
}

/** The digest of a reference. @param within what it is unique in, if not in all files of its kind */
export function referenceDigest(by: string, reference: string, within: readonly string[] = []): string {
  const scope = within.length === 0 ? "" : `per ${JSON.stringify(within)} `;
  return hash("sha256", `loyalty import of ${by} ${scope}${reference}`).slice(0, 32);
}

/** A record, as it was found or as an earlier line makes it. */
export interface Known {
  /** The earlier line; undefined if it is recorded. */
  readonly line?: number | undefined;
  /** Whether its member was erased. */
  readonly erased: boolean;
  /** For a line of an earlier chunk of a check, whose texts are not kept: whether it has a text. */
  readonly has?: (field: string, text: string) => boolean;
}

/**
 * The records of digests: those that are recorded, and what lines of earlier chunks of a check would record.
 * @param recordOf makes a record of what was kept
 */
export function recordsWith<Record extends Known, Row extends Record & { readonly digest: string }>(
  recorded: readonly Row[],
  digests: Iterable<string>,
  earlier: EarlierLines | undefined,
  recordOf: (kept: EarlierLine, digest: string) => Record,
): Map<string, Record> {
  const records = new Map<string, Record>(recorded.map((one) => [one.digest, one]));
  if (earlier === undefined) return records;
  for (const digest of digests) {
    const kept = earlier.find(digest);
    if (kept !== undefined) records.set(digest, recordOf(kept, digest));
  }
  return records;
}

/** Makes the function that says what differs from the record with the same reference. Amounts are named for programs, too. */
export function differing(line: LineName, reference: string, { line: earlier, has }: Known) {
  const where = earlier === undefined ? "was imported" : `is in line ${earlier}`;
  return (field: string, given: unknown, recorded: unknown, isAmount = false): LineError => {
    const other = has === undefined || typeof recorded === "number" ? recorded : "another value";
    const problem = `is ${given}, but ${reference} ${where} with ${other}`;
    const code = isAmount ? "amount_differs" : "differs";
    return { ...lineError(line, field, code, problem), ...(isAmount && { imported: recorded as number }) };
  };
}

export interface Decisions<Line, Found, Record extends Known, Row extends Record = Record> {
  /** What is recorded, by digest. Lines that are accepted are added. */
  readonly records: Map<string, Record>;
  /** Finds what differs between a line and the record of its identity. Fields that are wrong are missing from the line. */
  differencesOf(line: Line, found: Found, record: Record, identity: Identity): LineError[];
  /** Finds what forbids a new line. */
  failuresOf(line: Line, found: Found): LineError[];
  /** Makes the record of a line that has no failures, or rejects it after all. Later lines see its effect. */
  accept(line: Line, found: Found, identity: Identity): Row | LineError[];
  /** Takes a line that is already imported, or rejects it after all. */
  skip?(line: Line, record: Record): LineError[] | undefined;
  /** What a check keeps of the record of a line with a reference. */
  keptOf(record: Record): readonly Kept[];
}

/** A line with all that is known about it. */
export interface Candidate<Line, Found> extends CheckedLine<Line> {
  readonly found: Found;
  /** Undefined if a field that it needs is missing or wrong. */
  readonly identity: Identity | undefined;
}

export const candidateOf = <Line, Found>(
  { line, bad, rejections }: CheckedLine<Line>,
  found: Found,
  identity: Identity | undefined,
): Candidate<Line, Found> => ({ line, bad, rejections, found, identity });

export function decideLines<Line extends LineName, Found, Record extends Known, Row extends Record>(
  lines: readonly Candidate<Line, Found>[],
  decisions: Decisions<Line, Found, Record, Row>,
  isCheck: boolean,
) {
  const { records, differencesOf, failuresOf, accept, skip, keptOf } = decisions;
  const rows: Row[] = [];
  const rejected: LineError[] = [];
  const tried: TriedLine[] = [];
  const skipped: number[] = [];
  const repeats: [number, number][] = [];
  for (const { line, bad, rejections, found, identity } of lines) {
    const known =
      identity && recordFor(identity, records, (one) => differencesOf(line, found, one, identity));
    const failures = known?.differences ?? failuresOf(line, found);
    if (bad || failures.length > 0) {
      rejected.push(...rejections, ...failures);
      continue;
    }
    if (identity === undefined) throw new Error(`line ${line.line} has no identity`);
    const decided = known === undefined ? accept(line, found, identity) : skip?.(line, known.record);
    if (Array.isArray(decided)) {
      rejected.push(...decided);
      continue;
    }
    if (known === undefined) {
      const { digest, content } = identity;
      const row = decided as Row;
      rows.push(row);
      records.set(digest, row);
      if (isCheck) tried.push({ digest, line: line.line, values: content === null ? [] : keptOf(row) });
    } else {
      skipped.push(line.line);
      const { line: earlier } = known.record;
      if (earlier !== undefined) repeats.push([line.line, earlier]);
    }
  }
  rejected.sort((one, other) => one.line - other.line);
  return { rows, imported: rows.length, skipped, repeats, rejected, tried };
}

/**
 * Finds the record that a line is, or else the one that has its identity.
 * @returns undefined for a new line
 */
function recordFor<Record>(
  { digest, candidates }: Identity,
  records: ReadonlyMap<string, Record>,
  differencesOf: (record: Record) => LineError[],
) {
  for (const one of candidates) {
    const record = records.get(one);
    const differences = record && differencesOf(record);
    if (record !== undefined && differences?.length === 0) return { record, differences };
  }
  const record = records.get(digest);
  return record && { record, differences: differencesOf(record) };
}
