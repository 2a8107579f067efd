/** One import: uploads the file, follows the job that checks it and the one that imports it, and reports the results. */
import { parse as parsePath } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ImportState } from "../../domain/imports/jobs.ts";
import type { ImportKind } from "../../operations/imports/import-kinds.ts";
import { cancelImport } from "../../operations/operator/imports/cancel.ts";
import { getImport } from "../../operations/operator/imports/get.ts";
import { previewImport } from "../../operations/operator/imports/preview.ts";
import { listRejectedLines } from "../../operations/operator/imports/rejected.ts";
import { startImport } from "../../operations/operator/imports/start.ts";
import type { Context } from "../command.ts";
import { chooseBusiness, getBusiness } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import { CliError, exitCodes } from "../terminal/cli-error.ts";
import { confirm, type Progress, startProgress, wrapText } from "../terminal/terminal.ts";
import { inOptions, shown } from "./option-words.ts";
import { openReport, type RejectedLines, type RejectionReport } from "./report.ts";
import { type FoundImport, printResult, resultTexts } from "./result.ts";
import { uploadFile } from "./upload.ts";

/** The options of the command, and its file. */
export interface ImportOptions {
  readonly file: string;
  /** Undefined when the command line does not say. */
  readonly business: number | undefined;
  readonly strict?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly report?: string;
  /** Fields of the request that checks the file. */
  readonly request: Readonly<Record<string, unknown>>;
}

interface Following {
  readonly client: OperatorClient;
  readonly context: Context;
  readonly business_id: number;
  readonly import_id: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Imports a file and prints the result. The exit code says whether lines were rejected. */
export async function runImport(kind: ImportKind, context: Context, options: ImportOptions): Promise<void> {
  const { file, strict = false, dryRun = false } = options;
  const signal = stopSignal();
  const report = await openReport({
    file: options.report ?? `${file === "-" ? kind.name : parsePath(file).name}.rejected.csv`,
    input: file,
    // Fixed lines are imported by themselves only where the other lines were imported.
    keepsLines: !dryRun && !strict,
  });
  const progress = startProgress(context.err, "lines");
  const startedAt = performance.now();
  let closed: Promise<void> | undefined;
  const closeOnce = () => (closed ??= report.close());
  try {
    const client = await context.client();
    const business_id = options.business ?? (await chooseBusiness(client));
    const { currency } = await getBusiness(client, business_id);
    const sent = (share: number | undefined) => progress.at(0, share);
    const import_id = await uploadFile({ client, business_id, file, signal, sent });
    const following = { client, context, business_id, import_id, progress, signal };
    await client.call(previewImport.path, { business_id, import_id, kind: kind.name, ...options.request });
    const checked = await follow(following, "checking");
    progress.end();
    tellForm(context, checked);
    if (checked.state === "failed")
      throw problemOf(
        context,
        checked,
        "Nothing was imported. Fix the file, or the options, and run the command again.",
      );
    // The check can end before it is cancelled.
    signal.throwIfAborted();
    const isStopped = dryRun || (strict && (checked.result?.rejected ?? 0) > 0);
    let found = checked;
    if (!isStopped) {
      if (!options.yes && !context.json && context.err.interactive && process.stdin.isTTY)
        await askFor(kind, context, checked);
      await client.call(startImport.path, { business_id, import_id });
      found = await follow(following, "importing", checked.result?.lines);
      if (found.state === "failed")
        throw problemOf(
          context,
          found,
          "What was imported stays. Run the command again: lines that are already imported are skipped.",
        );
    }
    progress.end();
    await reportRejected(following, report);
    await closeOnce();
    const seconds = (performance.now() - startedAt) / 1000;
    const outcome = { found, isStopped, isDryRun: dryRun, interrupted: signal.aborted, seconds, currency };
    printResult(kind, context, report, outcome);
    if (signal.aborted) throw new CliError(exitCodes.interrupted, "Interrupted.");
  } catch (error) {
    throw signal.aborted ? new CliError(exitCodes.interrupted, "Interrupted.") : error;
  } finally {
    progress.end();
    await closeOnce();
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

const longestPauseMilliseconds = 1000;

/** Waits for the end of a job. If the command is interrupted, it cancels the job. @param lines in all, if that is known */
async function follow(
  { client, business_id, import_id, progress, signal }: Following,
  running: ImportState,
  lines?: number,
): Promise<FoundImport> {
  const name = { business_id, import_id };
  let isCancelled = false;
  for (let pause = 50; ; pause = Math.min(longestPauseMilliseconds, 1.5 * pause)) {
    if (signal.aborted && !isCancelled) {
      isCancelled = true;
      // It may have ended meanwhile.
      await client.call(cancelImport.path, name).catch(() => undefined);
    }
    const { data } = await client.call<FoundImport>(getImport.path, name);
    if (data.state !== running) return data;
    progress.at(data.lines_done, lines === undefined ? undefined : data.lines_done / Math.max(1, lines));
    await sleep(isCancelled ? 50 : pause, undefined, { signal }).catch(() => undefined);
  }
}

/** How the file is written: which columns are imported, and what was found. */
function tellForm({ err }: Context, { form }: FoundImport): void {
  if (form === null) return;
  const pairs = form.columns.map(({ field, column }) =>
    field === column ? field : `${field} from ${column}`,
  );
  const texts = [
    ...(form.columns.some(({ field, column }) => field !== column) ? [`Columns: ${pairs.join(", ")}.`] : []),
    ...(form.unused.length > 0 ? [`Columns that are not imported: ${form.unused.join(", ")}.`] : []),
    ...form.notes,
  ];
  for (const text of texts) err.line(shown(text, err.width));
}

const problemOf = ({ err }: Context, { problem }: FoundImport, advice: string) => {
  const text = inOptions(problem ?? "The file can't be imported.");
  return new CliError(exitCodes.failed, wrapText(text, err.width), [wrapText(advice, err.width)]);
};

/** Shows how the first lines are read and what the lines come to, and asks whether to import them, if any is new. */
async function askFor({ name }: ImportKind, { err }: Context, found: FoundImport): Promise<void> {
  const { imported = 0, skipped = 0, rejected = 0, points_added = 0 } = found.result ?? {};
  for (const { line, values } of found.form?.sample.slice(0, 2) ?? []) {
    const read = values.map(({ field, sample_value }) => `${field} ${sample_value}`).join(", ");
    err.line(shown(`Line ${line} is read as: ${read}.`, err.width));
  }
  for (const text of resultTexts(found, err.width)) err.line(text);
  if (imported + points_added === 0) return;
  await confirm(`Import ${imported} ${name}, skip ${skipped} and reject ${rejected}`, "");
}

async function reportRejected({ client, business_id, import_id }: Following, report: RejectionReport) {
  for (let after_line: number | null = 0; after_line !== null; ) {
    const body: object = { business_id, import_id, after_line };
    const { data }: { data: RejectedLines } = await client.call(listRejectedLines.path, body);
    await report.add(data);
    after_line = data.next_after_line;
  }
}
