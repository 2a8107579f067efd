/** A chunk of the lines of a file: what it needs, what became of it, and what a check keeps of it for later chunks. */
import type { AuditedChange, Caller, EmittedEvent } from "../../contract/operation.ts";
import type { Connection } from "../../database/connection.ts";
import type { ChunkResult, LineError } from "./imports.ts";

/** What the import of a chunk needs. */
export interface ChunkContext<Input> {
  readonly input: Input;
  readonly tx: Connection;
  readonly caller: Pick<Caller, "businessId" | "timeZone" | "country">;
  readonly emit: (event: EmittedEvent) => void;
  /** In a check of a file: the lines before the chunk, as soon as these are decided. */
  readonly earlier?: Promise<EarlierLines> | undefined;
}

/** What became of a chunk. */
export interface ChunkOutcome {
  readonly imported: number;
  readonly rejected: readonly LineError[];
  /** Lines that were imported before, or repeat an earlier line. */
  readonly skipped: readonly number[];
  /** Skipped lines that are known to repeat an earlier line. */
  readonly repeats: readonly (readonly [line: number, earlier: number])[];
  /** In a check: what later chunks are compared with. */
  readonly tried: readonly TriedLine[];
  /** In a check of sales: how many new ones can be recorded already. */
  readonly alike?: number;
  /** Of sales. */
  readonly without_points?: number;
  readonly points_added?: number;
}

/** What a line of a check would record. */
export interface TriedLine {
  /** Its digest, or a value that no two lines may share. */
  readonly digest: string;
  /** Undefined for what lines change of a record that is older than the file. */
  readonly line?: number | undefined;
  readonly values: readonly Kept[];
}

/** A value that a check keeps. Of a text, it keeps a hash. */
export type Kept = string | number | null;

/** The lines of a file before a chunk, in a check. Nothing of them is in the database. */
export interface EarlierLines {
  /** What was kept under a digest. */
  find(digest: string): EarlierLine | undefined;
  /** The number that is kept for a value. */
  numberOf(value: Kept): number;
}

export interface EarlierLine extends Omit<TriedLine, "digest"> {
  readonly values: readonly number[];
}

/** The response of an operation that imports a chunk. @param more what the audit log says of the request */
export function responseOf(
  { imported, skipped, rejected, without_points, points_added }: ChunkOutcome,
  audit: (change: AuditedChange) => void,
  isRecorded: boolean,
  more: object = {},
): ChunkResult {
  const result = {
    ...{ imported, skipped: skipped.length },
    ...(points_added !== undefined && { points_added }),
    ...(without_points !== undefined && { without_points }),
  };
  audit({ before: null, after: isRecorded ? { ...result, rejected: rejected.length, ...more } : null });
  return { ...result, rejected: [...rejected] };
}
