/** One import, from the file to the last word about it. */
import { parse as parsePath } from "node:path";
import { findBusiness } from "../businesses.ts";
import type { OperatorClient } from "../client.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { usageError } from "../failure.ts";
import { startProgress } from "../terminal/progress.ts";
import { durationText, numberText } from "../terminal/quantities.ts";
import { printable } from "../terminal/text-width.ts";
import { type Mapping, readMapping } from "./columns.ts";
import { createDuplicateFinder } from "./duplicates.ts";
import type { ImportKind } from "./kinds.ts";
import { goThrough, type Job, type Totals } from "./pass.ts";
import type { Delimiter } from "./records.ts";
import { openReport, type RejectionReport } from "./report.ts";
import { type Money, SalesSum } from "./sales-sum.ts";
import { findSource } from "./source.ts";
import { decimalsOf } from "./values.ts";

export interface ImportOptions {
  readonly file: string;
  readonly business: number;
  readonly delimiter: Delimiter;
  readonly header: boolean;
  readonly columns: readonly string[] | undefined;
  /** As --column has them. */
  readonly mapping: readonly string[];
  readonly majorUnits: boolean;
  readonly batch: string | undefined;
  readonly strict: boolean;
  readonly dryRun: boolean;
  readonly report: string | undefined;
}

/** Imports a file, and says what came of it; the exit code says whether lines were rejected. */
export async function runImport(kind: ImportKind, context: Context, options: ImportOptions): Promise<void> {
  const { file, header, columns, strict, dryRun } = options;
  if (header === (columns !== undefined)) {
    throw usageError(
      "--no-header and --columns go together.",
      "A file without a header needs to be told its columns; a file with one tells them itself.",
    );
  }
  const mapping = readMapping(kind, options.mapping);
  const report = await openReport({
    file: options.report ?? reportName(kind, file),
    input: file,
    // What is mended is imported by itself: only where the others were imported.
    delimiter: strict || dryRun ? undefined : options.delimiter,
  });
  try {
    await importSource({ kind, context, options, mapping, report });
  } finally {
    await report.close();
  }
}

interface Given {
  readonly kind: ImportKind;
  readonly context: Context;
  readonly options: ImportOptions;
  readonly mapping: Mapping;
  readonly report: RejectionReport;
}

async function importSource({ kind, context, options, mapping, report }: Given): Promise<void> {
  const { business, columns, delimiter, batch } = options;
  const source = await findSource(options.file, options.strict);
  const stopping = new AbortController();
  // A second signal ends the process at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  const progress = startProgress(context.err, "lines");
  try {
    const client = await context.client();
    const money = await moneyOf(client, business, kind, options);
    const decimals = options.majorUnits ? money?.decimals : undefined;
    const { signal } = stopping;
    const notice = onlyOnce((text) => context.err.line(text));
    const onHeader = (names: readonly string[]) => report.header(names);
    const file = { source, delimiter, columns, mapping, batch, decimals };
    const job = { kind, client, business, ...file, signal, progress, notice, onHeader };
    await importAndTell(job, context, options, { report, money });
  } finally {
    progress.end();
    await source.close();
  }
}

/** The currency of the business, where amounts are read or told in it. */
async function moneyOf(
  client: OperatorClient,
  business: number,
  kind: ImportKind,
  { majorUnits }: ImportOptions,
): Promise<Money | undefined> {
  if (!majorUnits && !isOfSales(kind)) return undefined;
  const { currency } = await findBusiness(client, business);
  return { currency, decimals: decimalsOf(currency) };
}

const isOfSales = ({ fields }: ImportKind) => "sold_at" in fields;

/** What both passes of a strict import have to say is said once. */
function onlyOnce(tell: (text: string) => void): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    if (!told.has(text)) tell(text);
    told.add(text);
  };
}

function reportName({ name }: ImportKind, file: string): string {
  return `${file === "-" ? name : parsePath(file).name}.rejected.csv`;
}

async function importAndTell(
  job: Job,
  context: Context,
  { strict, dryRun }: ImportOptions,
  { report, money }: Pick<Outcome, "report" | "money">,
): Promise<void> {
  const startedAt = performance.now();
  let totals = noLines();
  let checking = strict || dryRun;
  const tell = (interrupted: boolean) => {
    job.progress.end();
    const seconds = (performance.now() - startedAt) / 1000;
    tellTotals(context, totals, {
      checking,
      interrupted,
      seconds,
      report,
      money: isOfSales(job.kind) ? money : undefined,
    });
  };
  try {
    if (strict) await checkAll(job, totals, report);
    if (report.lines === 0) {
      checking = dryRun;
      totals = noLines();
      await goThrough(job, dryRun, totals, ({ records }, rejections) => report.add(rejections, records));
    }
  } catch (error) {
    await report.close();
    if (totals.lines > 0) tell(true);
    throw error;
  }
  await report.close();
  tell(false);
  if (report.lines > 0) process.exitCode = exitCodes.linesRejected;
}

const noLines = (): Totals => ({ lines: 0, imported: 0, skipped: 0, rejected: 0, sales: new SalesSum() });

/** Finds every line that would be rejected, without importing any. */
async function checkAll(job: Job, totals: Totals, report: RejectionReport): Promise<void> {
  const duplicates = await createDuplicateFinder(job.kind.unique);
  try {
    await goThrough(job, true, totals, async ({ lines, records }, rejections) => {
      await report.add(rejections, records);
      const rejected = new Set(rejections.map(({ line }) => line));
      for (const line of lines) if (!rejected.has(line.line)) await duplicates.add(line);
    });
    for await (const rejection of duplicates.find()) {
      await report.add([rejection], []);
      totals.imported -= 1;
      totals.rejected += 1;
    }
  } finally {
    await duplicates.close();
  }
}

interface Outcome {
  /** Nothing was imported, only looked at. */
  readonly checking: boolean;
  /** By Ctrl-C or by a failure. */
  readonly interrupted: boolean;
  readonly seconds: number;
  readonly report: RejectionReport;
  /** Of sales. */
  readonly money: Money | undefined;
}

function tellTotals(
  { json, out, err }: Context,
  { lines, imported, skipped, rejected, sales }: Totals,
  { checking, interrupted, seconds, report, money }: Outcome,
): void {
  const file = report.lines > 0 ? report.file : null;
  const mend = report.lines > 0 ? report.linesFile : undefined;
  if (json) {
    out.line(
      JSON.stringify({
        ...{ imported: checking ? 0 : imported, skipped, rejected, report: file },
        ...{ rejected_lines: mend ?? null, interrupted },
        ...(money === undefined ? {} : { sales: sales.record(money) }),
      }),
    );
    return;
  }
  const [numbers, rate] = [numberText, numberText(Math.round(lines / Math.max(seconds, 0.001)))];
  out.line(
    `${checking ? "None imported; would import" : "Imported"} ${numbers(imported)}, ` +
      `skipped ${numbers(skipped)} imported before, rejected ${numbers(rejected)}.`,
  );
  if (money !== undefined && sales.lines > 0) out.line(sales.text(money, skipped));
  if (file !== null) out.line(`Which lines were rejected and why is in ${printable(file)}.`);
  if (mend !== undefined) {
    out.line(`The lines are in ${printable(mend)}: mend them, and import that file with the same options.`);
  }
  err.line(err.style("dim", `${numbers(lines)} lines in ${durationText(seconds)}, ${rate}/s.`));
  if (interrupted && !checking)
    err.line("To go on, run the same command again: what was imported is skipped.");
}
