/** Prints what became of the lines of a file. */
import type { Static } from "typebox";
import type { importJob } from "../../operations/imports/import-jobs.ts";
import type { ImportKind } from "../../operations/imports/import-kinds.ts";
import type { Context } from "../command.ts";
import { durationText, numberText } from "../terminal/quantities.ts";
import { shown } from "./option-words.ts";
import type { RejectionReport } from "./report.ts";

export type FoundImport = Static<typeof importJob>;

/** How many reasons are listed. */
const mostReasons = 10;

export interface Outcome {
  readonly found: FoundImport;
  /** Lines were checked, and none was imported: by --dry-run, or by --strict because a line was rejected. */
  readonly isStopped: boolean;
  readonly isDryRun: boolean;
  /** By Ctrl-C. */
  readonly interrupted: boolean;
  readonly seconds: number;
  readonly currency: string;
}

export function printResult(
  kind: ImportKind,
  { json, out, err }: Context,
  report: RejectionReport,
  outcome: Outcome,
): void {
  const { found, isStopped, isDryRun, interrupted, seconds } = outcome;
  const { lines = 0, imported = 0, skipped = 0, rejected = 0, left_out = 0 } = found.result ?? {};
  const [file, linesFile] = report.lines > 0 ? [report.file, report.linesFile] : [];
  if (json) {
    out.line(
      JSON.stringify(recordOf(kind, outcome, { report: file ?? null, rejected_lines: linesFile ?? null })),
    );
    return;
  }
  const [some, known, bad] = [imported, skipped, rejected].map(numberText);
  const others = left_out > 0 ? `, left out ${numberText(left_out)}` : "";
  const said = `${some} new, ${known} already imported, ${bad} rejected${others}.`;
  const say = (text: string) => out.line(shown(text, out.width));
  if (isDryRun) say(`Dry run: ${said} Nothing was written.`);
  else if (isStopped) say(`Nothing was imported: ${said}`);
  else say(`Imported ${some}, skipped ${known} already imported, rejected ${bad}${others}.`);
  for (const text of resultTexts(found, out.width)) out.line(text);
  if (file !== undefined) say(`The rejected lines and the reasons are listed in ${file}.`);
  if (linesFile !== undefined)
    say(`The lines themselves are in ${linesFile}. Fix them, and import that file with the same options.`);
  const rate = numberText(Math.round(lines / Math.max(seconds, 0.001)));
  const count = `${numberText(lines)} line${lines === 1 ? "" : "s"}`;
  err.line(err.style("dim", `${count} in ${durationText(seconds)}, ${rate}/s.`));
  if (interrupted && !isStopped)
    err.line("To continue, run the same command again: lines that are already imported are skipped.");
}

/** What lines come to, and the reasons for rejection, as lines of text. @param width of the terminal */
export function resultTexts({ result }: FoundImport, width: number | undefined): string[] {
  const [sum, ...further] = (result?.notes ?? []).map((text) => shown(text, width));
  const reasons = result?.reasons ?? [];
  const numbers = Math.max(0, ...reasons.map(({ lines }) => numberText(lines).length));
  const listed = reasons
    .slice(0, mostReasons)
    .map(({ reason, lines }) => shown(reason, width, `  ${numberText(lines).padStart(numbers)}  `));
  const more = reasons.length - listed.length;
  return [
    ...(sum === undefined ? [] : [sum]),
    ...(listed.length > 0 ? ["Reasons for rejection, with the number of lines:"] : []),
    ...listed,
    ...(more > 0 ? [`  and ${numberText(more)} other reasons`] : []),
    ...further,
  ];
}

/** The same for programs. */
function recordOf(
  kind: ImportKind,
  { found, isStopped, isDryRun, interrupted, currency }: Outcome,
  files: object,
) {
  const { imported = 0, skipped = 0, rejected = 0, left_out = 0, reasons = [] } = found.result ?? {};
  const { sums, notes = [], without_points = 0, points_added = 0 } = found.result ?? {};
  return {
    ...{ dry_run: isDryRun, new: imported, imported: isStopped ? 0 : imported, skipped, rejected, left_out },
    ...files,
    interrupted,
    ...(reasons.length > 0 && { reasons }),
    ...{ without_points, points_added, sums: { kind: kind.name, currency, ...sums }, notes },
  };
}
