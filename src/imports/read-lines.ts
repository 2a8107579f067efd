/** Checks or imports the lines of a file, some at a time. */
import { type ErrorCode, errors, Rejection } from "../contract/errors.ts";
import type { EmittedEvent } from "../contract/operation.ts";
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
import { mostRejectedLines } from "../domain/imports/jobs.ts";
import { rejectWhileMoving } from "../domain/moving.ts";
import type { ChunkOutcome, EarlierLines } from "../operations/imports/chunks.ts";
import type { ImportForm } from "../operations/imports/import-jobs.ts";
import { auditImport } from "../operations/imports/import-runs.ts";
import { eventsToRecord } from "../pipeline/postings/group-events.ts";
import { CheckedLines } from "./checked-lines.ts";
import { FileProblem } from "./file/file-problem.ts";
import { hasAmountsOfLines, joins } from "./form/find-form.ts";
import { inOrder, type Read } from "./in-order.ts";
import { type Job, keepJob, stopIfAsked, writingOf } from "./job.ts";
import type { Line, Rejection as LineRejection } from "./lines.ts";
import { rejectionBy } from "./rejections.ts";
import { type StoredResult, Totals } from "./totals.ts";

/** The lines of one transaction. Postings of the business wait for its end. Tests need fewer. */
export const linesAtOnce = { most: 1000 };
const nothing: ChunkOutcome = { imported: 0, skipped: [], rejected: [], repeats: [], tried: [] };

/** Checks all lines, also against each other, and imports none. */
export async function checkLines(job: Job, form: ImportForm): Promise<void> {
  const { kind, money, leased } = job;
  const totals = new Totals();
  const { request } = leased.options;
  let kept = 0;
  // A check begins anew when its process has ended.
  await job.sql.begin(async (tx) => {
    await keepJob(tx, job, { lines_done: 0 });
    await deleteRejections(tx, leased);
  });
  const lines = new CheckedLines();
  let decided = Promise.resolve(lines);
  // A chunk is looked up while the one before is decided. Nothing is locked, so it needs no transaction.
  const check = (chunk: readonly Read[]) => {
    const outcome = perform(job.sql, job, chunk, { earlier: decided });
    decided = outcome.then((one) => {
      for (const tried of one.tried) lines.add(tried);
      return lines;
    });
    // There may be no next chunk.
    decided.catch(() => undefined);
    return outcome;
  };
  await eachChunk(job, form, { done: 0, prepare: check }, async (chunk, done, checked) => {
    const { result, rejected } = counted({ ...job, form }, chunk, await checked, totals);
    const some = keptOf(rejected, kept);
    kept += some.length;
    await job.sql.begin(async (tx) => {
      if (some.length > 0) await insertRejections(tx, leased, some);
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
        const more = { emitted, prepared: attempt === 1 ? prepared : undefined };
        const outcome = await perform(tx, job, chunk, more);
        const { result, rejected } = counted({ ...job, form }, chunk, outcome, new Totals(stored));
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

/** What is prepared before the transaction; undefined if that fails. Then all work is done in the transaction. */
async function preparedFor(job: Job, lines: readonly Line[]): Promise<unknown> {
  try {
    return lines.length === 0 ? undefined : await job.kind.prepare?.(job.sql, contextOf(job, lines));
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
      if (chunk.length === linesAtOnce.most) await next();
    }
  }
  if (chunk.length > 0) await next();
  await working;
}

/** A rejected line to keep, of the lines after those that are kept. */
const keptOf = (rejected: readonly RejectedLine[], kept: number) =>
  rejected.slice(0, Math.max(0, mostRejectedLines - kept));

interface Performing {
  /** Gets the events of an import. */
  readonly emitted?: EmittedEvent[];
  readonly prepared?: unknown;
  /** For a check: the lines before. */
  readonly earlier?: Promise<EarlierLines>;
}

/**
 * Checks or imports lines.
 * @throws FileProblem when the options are wrong, such as a location that is missing
 */
async function perform(
  tx: Connection,
  job: Job,
  chunk: readonly Read[],
  { emitted = [], prepared, earlier }: Performing,
): Promise<ChunkOutcome> {
  const lines = linesOf(chunk);
  if (lines.length === 0) return nothing;
  const emit = (event: EmittedEvent) => void emitted.push(event);
  const outcome = await job.kind.record({ ...contextOf(job, lines), tx, prepared, earlier, emit });
  if (outcome instanceof Rejection) throw new FileProblem(errors[outcome.code as ErrorCode].message);
  return outcome;
}

const linesOf = (chunk: readonly Read[]) => chunk.flatMap(({ line }) => line ?? []);

function contextOf({ leased, business, country }: Job, lines: readonly Line[]) {
  const { business_id } = leased;
  const input = { business_id, ...leased.options.request, lines, dry_run: leased.state === "checking" };
  return { input, caller: { businessId: business_id, timeZone: business.time_zone, country } };
}

/** Counts what became of lines. */
function counted(
  job: Job & { readonly form: ImportForm },
  chunk: readonly Read[],
  {
    imported,
    skipped,
    repeats,
    rejected: ofLines,
    alike = 0,
    without_points = 0,
    points_added = 0,
  }: ChunkOutcome,
  totals: Totals,
) {
  const { kind, money, leased, country, source } = job;
  const { decimals } = writingOf(job, job.form);
  const hasReferences = "reference_id" in job.form.indexes;
  const isCheck = leased.state === "checking";
  const sent = new Map(chunk.flatMap(({ line }) => (line === undefined ? [] : [[line.line, line] as const])));
  const rejections: LineRejection[] = chunk.flatMap((read) => read.rejections);
  const reused = new Set<number>();
  for (const one of ofLines) {
    rejections.push(rejectionBy(kind, one, sent.get(one.line), { decimals, country, hasReferences }));
    if (one.code === "differs" || one.code === "amount_differs") reused.add(one.line);
  }
  if (isCheck) for (const [line, earlier] of repeats) totals.repeat(line, earlier);
  const reasons = new Map<number, LineRejection[]>();
  for (const one of rejections) reasons.set(one.line, [...(reasons.get(one.line) ?? []), one]);
  const { counts } = totals;
  const { figures } = counts;
  const joined = chunk.reduce((sum, { records }) => sum + records.length - 1, 0);
  counts.several.receipts += chunk.filter(({ records }) => records.length > 1).length;
  if (!hasAmountsOfLines(job, job.form))
    counts.several.repeated += chunk.filter(({ isRepeated }) => isRepeated).length;
  figures.lines += chunk.length + joined;
  figures.joined += joined;
  figures.imported += imported;
  figures.skipped += skipped.length;
  figures.rejected += reasons.size;
  for (const { leftOut } of chunk) if (leftOut !== undefined) totals.leaveOut(leftOut);
  figures.without_points += without_points;
  figures.points_added += points_added;
  counts.reused += reused.size;
  if (!joins(job, job.form)) counts.apart += repeatsBefore(chunk, new Set([...reused, ...skipped]));
  counts.alike += alike;
  for (const one of rejections) totals.reject(one, sent.get(one.line));
  const isSkipped = new Set(skipped);
  for (const { line, fit } of chunk)
    if (line !== undefined && !reasons.has(line.line) && !isSkipped.has(line.line)) totals.add(line, fit);
  const rejected = chunk.flatMap(({ records }) => {
    const [first, last] = [records[0].line, records.at(-1)?.line];
    const where = first === last ? "." : ` (lines ${first} to ${last} are one receipt).`;
    const why = reasons.get(first)?.map(({ field, message }) => {
      return { field, message: message.replace(/\.$/, where) };
    });
    if (why === undefined) return [];
    return records.map(({ line, raw }) => ({ line, reasons: why, content: source.original(raw) }));
  });
  return { result: totals.result(kind, money, isCheck ? leased.options.request : undefined), rejected };
}

/** How many of some lines have the reference of the line before. */
function repeatsBefore(chunk: readonly Read[], some: ReadonlySet<number>): number {
  return chunk.filter(({ line }, index) => {
    const reference = line?.reference_id;
    const before = chunk[index - 1]?.line;
    return line && some.has(line.line) && reference !== undefined && before?.reference_id === reference;
  }).length;
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
