/** Checks or imports the lines of a file, some at a time. */
import { type ErrorCode, errors, Rejection, reject } from "../contract/errors.ts";
import type { Caller, EmittedEvent } from "../contract/operation.ts";
import type { Connection } from "../database/connection.ts";
import { insertEvents } from "../database/events.ts";
import {
  deleteRejections,
  insertRejections,
  type JobProgress,
  type RejectedLine,
  saveProgress,
} from "../database/imports/jobs.ts";
import { JobLost, retried, yieldToPostings } from "../database/jobs/steps.ts";
import { anyLocation } from "../domain/access/access.ts";
import type { Actor } from "../domain/audit-events.ts";
import { mostRejectedLines } from "../domain/imports/jobs.ts";
import { rejectWhileMoving } from "../domain/moving.ts";
import type { ImportForm } from "../operations/imports/import-jobs.ts";
import { auditImport } from "../operations/imports/import-runs.ts";
import type { ChunkResult } from "../operations/imports/imports.ts";
import { eventsToRecord } from "../pipeline/postings/group-events.ts";
import { FileProblem } from "./file/file-problem.ts";
import { hashedNumbers } from "./hashes.ts";
import { inOrder, type Read } from "./in-order.ts";
import { type Job, keepJob, stopIfAsked, writingOf } from "./job.ts";
import {
  compareWithFile,
  type FileComparison,
  fileComparison,
  type Line,
  type Rejection as LineRejection,
} from "./lines.ts";
import { rejectionBy } from "./rejections.ts";
import { type StoredResult, Totals } from "./totals.ts";

/** The lines of one transaction. Postings of the business wait for its end. */
const linesAtOnce = 1000;
/** The result of a chunk. Only sales can have points. */
type ChunkResponse = ChunkResult & { readonly without_points?: number; readonly points_added?: number };
const nothing: ChunkResponse = { imported: 0, skipped: 0, rejected: [] };

/** Checks all lines, also against each other, and imports none. */
export async function checkLines(job: Job, form: ImportForm): Promise<void> {
  const { kind, money, leased } = job;
  const compare = fileComparison(kind, hashedNumbers());
  const totals = new Totals();
  const { request } = leased.options;
  let kept = 0;
  // A check begins anew when its process has ended.
  await job.sql.begin(async (tx) => {
    await keepJob(tx, job, { lines_done: 0 });
    await deleteRejections(tx, leased);
  });
  const performed = (chunk: readonly Read[]) => retried(job, (tx) => perform(tx, job, chunk, []));
  await eachChunk(job, form, { done: 0, prepare: performed }, async (chunk, done, prepared) => {
    const response = await prepared;
    const { result, rejected } = counted({ ...job, form }, chunk, response, totals, compare);
    const lines = keptOf(rejected, kept);
    kept += lines.length;
    await job.sql.begin(async (tx) => {
      if (lines.length > 0) await insertRejections(tx, leased, lines);
      await keepJob(tx, job, { result, lines_done: done });
    });
  });
  const result = totals.result(kind, money, request);
  await keepJob(job.sql, job, { state: "checked", result, form: { ...form, lines: result.lines } });
}

/** Imports the lines behind those that this job has imported. */
export async function importLines(job: Job, form: ImportForm): Promise<void> {
  const { kind, money, leased } = job;
  let stored: StoredResult | null = leased.result;
  await eachChunk(
    job,
    form,
    {
      done: leased.lines_done,
      prepare: (chunk) => preparedFor(job, linesOf(chunk)),
    },
    async (chunk, done, preparing) => {
      const prepared = await preparing;
      stored = await retried(job, async (tx, attempt) => {
        const emitted: EmittedEvent[] = [];
        // After a conflict, the prepared decisions are stale.
        const response = await perform(tx, job, chunk, emitted, attempt === 1 ? prepared : undefined);
        const { result, rejected } = counted({ ...job, form }, chunk, response, new Totals(stored));
        const lines = keptOf(rejected, stored?.rejected ?? 0);
        if (lines.length > 0) await insertRejections(tx, leased, lines);
        await saveWithEvents(tx, job, emitted, { result, lines_done: done });
        return result;
      });
      job.eventsRecorded(leased.business_id);
    },
  );
  const result = stored ?? new Totals().result(kind, money);
  await job.sql.begin(async (tx) => {
    await saveWithEvents(tx, job, [], { state: "ended", result });
    await auditImport(tx, leased);
  });
}

/** What an operation prepares before the transaction; undefined if that fails. Then the operation does all its work in the transaction. */
async function preparedFor(job: Job, lines: readonly Line[]): Promise<unknown> {
  try {
    return lines.length === 0 ? undefined : await job.kind.operation.prepare?.(contextOf(job, lines));
  } catch {
    return undefined;
  }
}

interface Steps<Prepared> {
  /** How many lines are passed over. */
  readonly done: number;
  /** Begins before the work on the chunk before has ended. */
  readonly prepare: (chunk: readonly Read[]) => Promise<Prepared>;
}

/** Reads the lines behind some, and works on one chunk after the other while it reads the next one. */
async function eachChunk<Prepared>(
  job: Job,
  form: ImportForm,
  { done, prepare }: Steps<Prepared>,
  work: (chunk: readonly Read[], done: number, prepared: Promise<Prepared>) => Promise<void>,
): Promise<void> {
  let chunk: Read[] = [];
  let lines = 0;
  let working: Promise<void> = Promise.resolve();
  const next = async () => {
    const [mine, until] = [chunk, lines];
    chunk = [];
    const prepared = job.isBusy() ? undefined : prepare(mine);
    // It is awaited by the work.
    prepared?.catch(() => undefined);
    await working;
    const startedAt = performance.now();
    working = work(mine, until, prepared ?? prepare(mine)).then(() => yieldToPostings(job, startedAt));
    // It is awaited before the next chunk.
    working.catch(() => undefined);
  };
  const stop = async () => {
    await working;
    await stopIfAsked(job);
  };
  for await (const some of inOrder(job, form, stop)) {
    for (const read of some) {
      lines += read.records.length;
      if (lines <= done) continue;
      chunk.push(read);
      if (chunk.length === linesAtOnce) await next();
    }
  }
  if (chunk.length > 0) await next();
  await working;
}

/** A rejected line to keep, of the lines after those that are kept. */
const keptOf = (rejected: readonly RejectedLine[], kept: number) =>
  rejected.slice(0, Math.max(0, mostRejectedLines - kept));

/**
 * Checks or imports lines.
 * @param emitted gets the events of an import
 * @throws FileProblem when the options are wrong, such as a location that is missing
 */
async function perform(
  tx: Connection,
  job: Job,
  chunk: readonly Read[],
  emitted: EmittedEvent[],
  prepared?: unknown,
): Promise<ChunkResponse> {
  const lines = linesOf(chunk);
  if (lines.length === 0) return nothing;
  const response = await job.kind.operation.write({
    ...contextOf(job, lines),
    tx,
    prepared: prepared as never,
    audit: () => undefined,
    emit: (event) => void emitted.push(event),
  });
  if (response instanceof Rejection) throw new FileProblem(errors[response.code as ErrorCode].message);
  return response as ChunkResponse;
}

const linesOf = (chunk: readonly Read[]) => chunk.flatMap(({ line }) => line ?? []);

/** The context of an operation that imports lines. */
function contextOf(job: Job, lines: readonly Line[]) {
  const { leased, business, services, sql, country } = job;
  const { request } = leased.options;
  const input = { business_id: leased.business_id, ...request, lines, dry_run: leased.state === "checking" };
  const caller = {
    actor: leased.actor as Actor,
    businessId: leased.business_id,
    integrationId: undefined,
    operator: undefined,
    timeZone: business.time_zone,
    country,
    locations: anyLocation,
    mayUse: () => true,
  } satisfies Caller;
  return { input, caller, sql, services, reject };
}

/** Counts what became of lines. @param compare for a check: compares them with the lines before */
function counted(
  job: Job & { readonly form: ImportForm },
  chunk: readonly Read[],
  response: ChunkResponse,
  totals: Totals,
  compare?: FileComparison,
) {
  const { kind, money, leased, country, source } = job;
  const { decimals } = writingOf(job, job.form);
  const sent = new Map(chunk.flatMap(({ line }) => (line === undefined ? [] : [[line.line, line] as const])));
  const rejections: LineRejection[] = chunk.flatMap((read) => read.rejections);
  const reused = new Set<number>();
  for (const one of response.rejected) {
    rejections.push(rejectionBy(kind, one, sent.get(one.line), { decimals, country }));
    if (one.code === "differs" || one.code === "amount_differs") reused.add(one.line);
  }
  // The service has compared only the lines of this chunk.
  const compared = compare && compareWithFile(response, sent, compare);
  for (const one of compared?.rejections ?? []) {
    rejections.push(one);
    if (one.field === kind.reference) reused.add(one.line);
  }
  const repeated = new Set(compared?.repeated.map(([line]) => line));
  for (const [line, earlier] of compared?.repeated ?? []) totals.repeat(line, earlier);
  const imported = compared?.imported ?? response.imported;
  const reasons = new Map<number, LineRejection[]>();
  for (const one of rejections) reasons.set(one.line, [...(reasons.get(one.line) ?? []), one]);
  const { counts } = totals;
  const { figures } = counts;
  const joined = chunk.reduce((sum, { records }) => sum + records.length - 1, 0);
  counts.several.receipts += chunk.filter(({ records }) => records.length > 1).length;
  counts.several.repeated += chunk.filter(({ isRepeated }) => isRepeated).length;
  figures.lines += chunk.length + joined;
  figures.joined += joined;
  figures.imported += imported;
  figures.rejected += reasons.size;
  const leftOut = chunk.flatMap((read) => read.leftOut ?? []);
  for (const reason of leftOut) totals.leaveOut(reason);
  figures.skipped += chunk.length - reasons.size - imported - leftOut.length;
  figures.without_points += response.without_points ?? 0;
  figures.points_added += response.points_added ?? 0;
  counts.reused += reused.size;
  for (const one of rejections) totals.reject(one, sent.get(one.line));
  for (const { line, fit } of chunk)
    if (line !== undefined && !reasons.has(line.line) && !repeated.has(line.line)) totals.add(line, fit);
  const rejected = chunk.flatMap(({ records }) => {
    const [first, last] = [records[0].line, records.at(-1)?.line];
    const where = first === last ? "." : ` (lines ${first} to ${last} are one receipt).`;
    const why = reasons.get(first)?.map(({ field, message }) => {
      return { field, message: message.replace(/\.$/, where) };
    });
    if (why === undefined) return [];
    return records.map(({ line, raw }) => ({ line, reasons: why, content: source.original(raw) }));
  });
  return { result: totals.result(kind, money, compare && leased.options.request), rejected };
}

/** Stores progress and events at the end of a transaction. */
async function saveWithEvents(
  tx: Connection,
  { leased, kind }: Job,
  emitted: readonly EmittedEvent[],
  progress: JobProgress,
): Promise<void> {
  const saved = await saveProgress(tx, leased, progress);
  if (saved === undefined) throw new JobLost();
  if (rejectWhileMoving(saved.move_state, true) !== undefined)
    throw new FileProblem(
      "The business moves to another database. Start the import again when that is over, or import the file there.",
    );
  const { business_id: businessId } = leased;
  const events = eventsToRecord(tx, kind.operation, { businessId, emitted, isEnabled: saved.events_enabled });
  if (events.length > 0) await insertEvents(tx, events);
}
