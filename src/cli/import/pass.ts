/** Once through a file: read, cut into chunks, sent, and counted. */
import type { OperatorClient } from "../client.ts";
import { exitCodes } from "../exit-codes.ts";
import { CliError, usageError } from "../failure.ts";
import { flagOf } from "../field-options.ts";
import type { Progress } from "../terminal/progress.ts";
import { printable } from "../terminal/text-width.ts";
import { type Chunk, cutIntoChunks } from "./chunks.ts";
import { checkDelimiter, findColumns, type Mapping, unusedColumns } from "./columns.ts";
import type { ImportKind, LineField } from "./kinds.ts";
import { lineMaker, type Rejection } from "./lines.ts";
import { type Delimiter, readRecords } from "./records.ts";
import type { SalesSum } from "./sales-sum.ts";
import { createSending } from "./sending.ts";
import type { Source } from "./source.ts";
import { inMajorUnits, valueReader } from "./values.ts";

/** What is imported from where. */
export interface Job {
  readonly kind: ImportKind;
  readonly client: OperatorClient;
  readonly business: number;
  readonly source: Source;
  readonly delimiter: Delimiter;
  readonly mapping: Mapping;
  /** The names of the columns, when the file has no header. */
  readonly columns: readonly string[] | undefined;
  /** Of the file, when its lines are not to be taken for equal ones of others. */
  readonly batch: string | undefined;
  /** Of the currency, when amounts are in its major unit. */
  readonly decimals: number | undefined;
  /** Stops reading; what is on its way still arrives. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Hears the first line, when it names the columns. */
  readonly onHeader: (names: readonly string[]) => void;
  /** Tells the person something. */
  readonly notice: (text: string) => void;
}

/** What came of lines. */
export interface Totals {
  lines: number;
  imported: number;
  skipped: number;
  rejected: number;
  /** Of the lines that were not rejected. */
  readonly sales: SalesSum;
}

/** What came of a chunk. */
export interface ChunkResult {
  readonly imported: number;
  readonly skipped: number;
  readonly rejected: readonly Rejection[];
}

export type OnChunk = (chunk: Chunk, rejections: readonly Rejection[]) => Promise<void>;

/** Enough to keep the service busy while the next ones are read. */
const chunksAtOnce = 4;

/**
 * Goes through the file.
 * @param totals counts, also of what was done before something failed
 * @param onChunk hears of every chunk that arrived, in the order of the file
 */
export async function goThrough(job: Job, dryRun: boolean, totals: Totals, onChunk: OnChunk): Promise<void> {
  const { kind, client, business, source, signal, progress } = job;
  const sending = createSending(
    chunksAtOnce,
    async ({ lines }: Chunk): Promise<ChunkResult> => {
      if (lines.length === 0) return { imported: 0, skipped: 0, rejected: [] };
      const body = { business_id: business, lines, dry_run: dryRun };
      return (await client.call<ChunkResult>(kind.operation.path, body, { write: true, nameOf: flagOf }))
        .data;
    },
    async (chunk, { imported, skipped, rejected }) => {
      const answered = rejected.map((rejection) => ({
        ...rejection,
        message: inMajorUnits(rejection.field, rejection.message, job.decimals),
      }));
      const rejections = [...chunk.rejections, ...answered].sort((a, b) => a.line - b.line);
      const bad = new Set(rejections.map(({ line }) => line));
      for (const line of chunk.lines) if (!bad.has(line.line)) totals.sales.add(line);
      totals.lines += chunk.count;
      totals.imported += imported;
      totals.skipped += skipped;
      totals.rejected += chunk.count - imported - skipped;
      await onChunk(chunk, rejections);
      progress.at(totals.lines, source.bytes === undefined ? undefined : chunk.bytes / source.bytes);
    },
  );
  try {
    for await (const chunk of readChunks(job)) await sending.send(chunk);
  } catch (error) {
    // What is on its way counts, whatever else went wrong.
    await sending.finish().catch(() => undefined);
    throw signal.aborted ? new CliError(exitCodes.interrupted, "Interrupted.") : error;
  }
  await sending.finish();
}

async function* readChunks(job: Job): AsyncGenerator<Chunk> {
  const { kind, source, delimiter, mapping, batch, decimals, signal, notice } = job;
  const records = readRecords(source.open(), delimiter, signal);
  const first = await records.next();
  if (first.done === true) throw usageError("There is no line to import.");
  checkDelimiter(first.value.fields, first.value.line);
  const names = job.columns ?? first.value.fields.map((name) => name.trim());
  if (job.columns === undefined) job.onHeader(names);
  const columns = findColumns(kind, names, mapping);
  const unused = unusedColumns(names, columns);
  if (unused.length > 0) notice(`Columns that are not imported: ${unused.map(printable).join(", ")}.`);
  const readers = columns.map((column) => {
    const schema = kind.fields[column.field] as LineField;
    return { ...column, read: valueReader(column.field, schema, decimals) };
  });
  const toLine = lineMaker(kind, readers, names.length, batch);
  const lines = job.columns === undefined ? records : withFirst(first.value, records);
  yield* cutIntoChunks(lines, toLine, kind.maximumLines);
}

async function* withFirst<Item>(first: Item, rest: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield first;
  yield* rest;
}
