/** One import: reads the file, sends it in chunks, and counts and reports the results. */
import { parse as parsePath } from "node:path";
import type { DecimalSign } from "../../domain/amount-text.ts";
import { importBodyBytes, mostLines } from "../../domain/import-limits.ts";
import type { ChunkResult } from "../../operations/imports.ts";
import type { Context } from "../command.ts";
import { chooseBusiness, getBusiness } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import { CliError, exitCodes, usageError } from "../terminal/cli-error.ts";
import { type Progress, printable, startProgress, wrapText } from "../terminal/terminal.ts";
import { checkDelimiter, findColumns } from "./columns.ts";
import { type CsvRecord, findSource, readRecords, type Source } from "./file.ts";
import { hashedNumbers } from "./hashes.ts";
import type { ImportKind } from "./kinds.ts";
import {
  compareWithFile,
  type FileComparison,
  fileComparison,
  type ReadLine as LineOf,
  lineMaker,
} from "./lines.ts";
import { rejectionBy } from "./rejections.ts";
import { openReport, type RejectionReport } from "./report.ts";
import { Survey } from "./survey.ts";
import { type Encoding, findDelimiter } from "./text.ts";
import { type Money, type Outcome, printTotals, Totals } from "./totals.ts";
import type { Column, Writing } from "./writing.ts";

/** The options of the command, and its file. */
export interface ImportOptions extends Omit<Writing, "decimals"> {
  readonly file: string;
  /** Undefined when the command line does not say. */
  readonly business: number | undefined;
  /** By default, that of the first lines. */
  readonly delimiter?: string;
  readonly encoding: Encoding;
  readonly header: boolean;
  readonly columns?: readonly string[];
  readonly majorUnits?: true;
  readonly decimal?: DecimalSign;
  readonly strict?: true;
  readonly dryRun?: true;
  readonly report?: string;
  /** Fields of the request. */
  readonly fields: Readonly<Record<string, unknown>>;
}

type ReadLine = LineOf<CsvRecord>;

interface Job {
  readonly kind: ImportKind;
  readonly context: Context;
  readonly options: ImportOptions;
  readonly client: OperatorClient;
  readonly business: number;
  readonly money: Money;
  readonly country: string | null;
  readonly source: Source;
  readonly report: RejectionReport;
  readonly progress: Progress;
  /** Stops reading. Requests that are already sent finish. */
  readonly signal: AbortSignal;
}

/** The columns of a file, and how many it has. */
interface Form {
  readonly delimiter: string;
  readonly columns: readonly Column[];
  readonly width: number;
}

/** Imports a file and prints the result. The exit code says whether lines were rejected. */
export async function runImport(kind: ImportKind, context: Context, options: ImportOptions): Promise<void> {
  const { file, header, columns, strict = false, dryRun = false } = options;
  if (header === (columns !== undefined)) {
    throw usageError(
      "--no-header and --columns go together.",
      "Use both for a file without a header, and neither for a file with a header.",
    );
  }
  let checked: Outcome["checked"] = dryRun ? "dry run" : strict ? "strict" : undefined;
  const report = await openReport({
    file: options.report ?? `${file === "-" ? kind.name : parsePath(file).name}.rejected.csv`,
    input: file,
    // Fixed lines are imported by themselves only where the other lines were imported.
    keepsLines: checked === undefined,
  });
  const progress = startProgress(context.err, "lines");
  const startedAt = performance.now();
  let totals = new Totals();
  let interrupted = true;
  let source: Source | undefined;
  let job: Job | undefined;
  const signal = stopSignal();
  try {
    const target = await findTarget(context, options);
    source = await findSource(file, options.encoding, signal);
    job = { kind, context, options, source, report, progress, signal, ...target };
    const form = await findForm(job);
    if (checked) await passThrough(job, form, totals, true);
    if (!dryRun && report.lines === 0) {
      checked = undefined;
      totals = new Totals();
      await passThrough(job, form, totals, false);
    }
    interrupted = false;
  } catch (error) {
    throw signal.aborted ? new CliError(exitCodes.interrupted, "Interrupted.") : error;
  } finally {
    progress.end();
    await source?.close();
    await report.close();
    const seconds = (performance.now() - startedAt) / 1000;
    const isCounted = !interrupted || totals.lines > 0;
    if (job && isCounted) printTotals(job, totals, { checked, interrupted, seconds });
  }
  if (report.lines > 0) process.exitCode = exitCodes.linesRejected;
}

/** Lets Ctrl-C and SIGTERM end the import. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  // A second signal ends the process at once.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort());
  return stopping.signal;
}

async function findTarget(context: Context, options: ImportOptions) {
  const client = await context.client();
  const business = options.business ?? (await chooseBusiness(client));
  const { currency, currency_decimals: decimals, country } = await getBusiness(client, business);
  return { client, business, country, money: { currency, decimals } };
}

/** Keeps the service busy while the next chunks are read. */
const chunksAtOnce = 4;

/**
 * Sends the whole file, several chunks at a time, and takes the results in the order of the file.
 * @param totals counts the lines whose results arrived, also if the pass fails
 * @param dryRun checks the lines, also against each other, and imports none
 */
async function passThrough(job: Job, form: Form, totals: Totals, dryRun: boolean): Promise<void> {
  const { kind, client, business, options } = job;
  const compare = dryRun ? fileComparison(kind, hashedNumbers()) : undefined;
  const sent: (() => Promise<void>)[] = [];
  const send = (chunk: readonly ReadLine[]) => {
    const lines = chunk.flatMap(({ line }) => line ?? []);
    const body = { ...options.fields, business_id: business, lines, dry_run: dryRun };
    const result = lines.length === 0 ? undefined : client.call<ChunkResponse>(kind.operation.path, body);
    // A failure is handled when the chunk is settled.
    result?.catch(() => undefined);
    sent.push(async () => countResult(job, totals, chunk, (await result)?.data ?? nothing, compare));
  };
  const failures: unknown[] = [];
  try {
    for await (const chunk of readChunks(job, form)) {
      if (sent.length === chunksAtOnce) await sent.shift()?.();
      send(chunk);
    }
  } catch (error) {
    failures.push(error);
  }
  // Count the chunks that are already sent, even if another one failed.
  for (const settleNext of sent) await settleNext().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** The result of a chunk. Only sales can have points. */
type ChunkResponse = ChunkResult & { readonly without_points?: number; readonly points_added?: number };

const nothing: ChunkResponse = { imported: 0, skipped: 0, rejected: [] };

async function countResult(
  job: Job,
  totals: Totals,
  chunk: readonly ReadLine[],
  result: ChunkResponse,
  compare: FileComparison | undefined,
): Promise<void> {
  const { kind, report, source, progress, options, money } = job;
  const decimals = options.majorUnits ? money.decimals : undefined;
  const sent = new Map(chunk.flatMap(({ line }) => (line === undefined ? [] : [[line.line, line] as const])));
  const rejections = chunk.flatMap((read) => read.rejections);
  const reused = new Set<number>();
  for (const one of result.rejected) {
    rejections.push(
      rejectionBy(kind, one, sent.get(one.line), { decimals, hasCountry: countryOf(job) !== null }),
    );
    if (one.code === "differs" || one.code === "amount_differs") reused.add(one.line);
  }
  // In a dry run, the service has compared only the lines of this chunk.
  const compared = compare && compareWithFile(result, sent, compare);
  for (const one of compared?.rejections ?? []) {
    rejections.push(one);
    if (one.field === kind.reference) reused.add(one.line);
  }
  const repeated = new Set(compared?.repeated.map(([line]) => line));
  totals.repeated.push(...(compared?.repeated ?? []));
  const imported = compared?.imported ?? result.imported;
  const bad = new Set(rejections.map(({ line }) => line));
  totals.lines += chunk.length;
  totals.imported += imported;
  totals.skipped += chunk.length - bad.size - imported;
  totals.withoutPoints += result.without_points ?? 0;
  totals.pointsAdded += result.points_added ?? 0;
  totals.reused += reused.size;
  for (const one of rejections) totals.addReason(one, sent.get(one.line));
  for (const [number, line] of sent) if (!bad.has(number) && !repeated.has(number)) totals.add(line);
  const records = chunk.map(({ record }) => record);
  await report.add(
    rejections.sort((one, other) => one.line - other.line),
    records.map(({ line, raw }) => ({ line, raw: source.original(raw) })),
  );
  const bytes = records.at(-1)?.bytes ?? 0;
  progress.at(totals.lines, Math.min(1, bytes / source.bytes));
}

/** The parts of the file that one request can carry. */
async function* readChunks(
  job: Job,
  { columns, width, delimiter }: Form,
): AsyncGenerator<readonly ReadLine[]> {
  const { kind, options, source, signal } = job;
  const toLine = lineMaker(kind, columns, width, hashedNumbers());
  let isHeader = options.header;
  let chunk: ReadLine[] = [];
  let chunkBytes = 0;
  for await (const record of readRecords(source.open(), delimiter, signal)) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    const read = toLine(record);
    const bytes = Buffer.byteLength(JSON.stringify(read.line ?? "")) + 1;
    // The other fields of a request are short.
    if (chunk.length === mostLines || chunkBytes + bytes > importBodyBytes - 4096) {
      yield chunk;
      chunk = [];
      chunkBytes = 0;
    }
    chunk.push(read);
    chunkBytes += bytes;
  }
  if (chunk.length > 0) yield chunk;
}

/** The country whose national phone numbers are understood. */
const countryOf = ({ options, country }: Job) => options.country ?? country;

/**
 * Reads the whole file to find how it is written, and prints what it found.
 * @throws CliError when the file is not CSV, or its columns can't be imported
 */
async function findForm(job: Job): Promise<Form> {
  const { kind, context, options, report, money, source, signal } = job;
  const { err } = context;
  const say = (text: string) => err.line(wrapText(printable(text), err.width));
  let survey: Survey | undefined;
  let width = 0;
  const delimiter = options.delimiter ?? findDelimiter(source.head);
  for await (const record of readRecords(source.open(), delimiter, signal)) {
    if (survey === undefined) {
      checkDelimiter(record.fields, record.line);
      const names = options.columns ?? record.fields;
      if (options.header) report.header(source.original(record.raw));
      const { decimals, currency } = money;
      const writing = {
        ...options,
        decimals: options.majorUnits ? decimals : undefined,
        currency,
        decimalSign: options.decimal,
        country: countryOf(job),
      };
      const columns = findColumns(kind, names, writing);
      for (const text of columnTexts(names, columns)) say(text);
      survey = new Survey(kind, names, columns, writing);
      width = names.length;
      if (options.header) continue;
    }
    survey.add(record);
  }
  if (survey === undefined) throw usageError("There is no line to import.");
  for (const text of survey.texts()) say(text);
  return { columns: survey.columns(), width, delimiter };
}

/** Which columns are imported under another name, and which are not imported. */
function columnTexts(names: readonly string[], columns: readonly Column[]): string[] {
  const used = new Set(columns.map(({ index }) => index));
  const unused = names.filter((name, index) => !used.has(index) && name !== "" && name !== "-");
  const renamed = columns.filter(({ field, index }) => index !== -1 && names[index] !== field);
  const pairs = renamed.map(({ field, index }) => `${field} from ${names[index]}`);
  return [
    ...(pairs.length > 0 ? [`Columns: ${pairs.join(", ")}.`] : []),
    ...(unused.length > 0 ? [`Columns that are not imported: ${unused.join(", ")}.`] : []),
  ];
}
