/** The figures of a run: one table for people, one JSON file for what compares runs. */
import { mkdir, writeFile } from "node:fs/promises";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** What the ratio is to. */
  readonly against?: string;
  readonly ratio?: number;
  readonly target?: Target;
  /** What else belongs to it, for the JSON file. */
  readonly details?: object;
}

/** A bound on the ratio, or on the value of a figure that has none. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

export interface ScenarioReport {
  readonly scenario: string;
  readonly seconds: number;
  readonly figures: readonly Figure[];
}

/** Whether a figure reaches its target; undefined when it has none. */
function reached({ value, ratio = value, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  return "atLeast" in target ? ratio >= target.atLeast : ratio <= target.atMost;
}

/** The table. */
export function tableOf(reports: readonly ScenarioReport[]): string {
  const rows = [["", "figure", "", "ratio", "to", "target", ""]];
  for (const { scenario, figures } of reports) {
    for (const figure of figures) {
      const { what, value, unit, ratio, against = "", target } = figure;
      const met = reached(figure);
      rows.push([
        `${scenario}: ${what}`,
        amountText(value),
        unit,
        ratio === undefined ? "" : ratio.toFixed(2),
        against,
        target === undefined ? "" : "atLeast" in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`,
        met === undefined ? "" : met ? "reached" : "MISSED",
      ]);
    }
  }
  return textTable(rows, [1, 3, 5]);
}

/** Rows of cells in columns, those of numbers with what they have on the right. */
export function textTable(rows: readonly (readonly string[])[], numbers: readonly number[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return numbers.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  return lines.join("\n");
}

export function amountText(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

/** The figures for what compares runs. */
export function resultsOf(reports: readonly ScenarioReport[]): object[] {
  return reports.map(({ figures, ...report }) => ({
    ...report,
    figures: figures.map((figure) => ({ ...figure, reached: reached(figure) })),
  }));
}

/** Writes figures, and on what they were measured, as JSON. @returns the file's path */
export async function writeResults(
  folder: string,
  startedAt: Date,
  { machine = {}, ...results }: { readonly machine?: object; readonly scenarios: readonly object[] },
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${startedAt.toISOString().replace(/[:.]/g, "-")}.json`);
  const thisMachine = {
    processors: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    memory_bytes: totalmem(),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    ...machine,
  };
  const all = { started_at: startedAt.toISOString(), machine: thisMachine, ...results };
  await writeFile(file, `${JSON.stringify(all, null, 2)}\n`);
  return file;
}

/** Latencies in milliseconds. */
export interface LatencySummary {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export function summaryOf(latencies: readonly number[]): LatencySummary {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / Math.max(1, sorted.length);
  return { count: sorted.length, mean, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

/** The middle one of some values, 0 of none: one disturbed round doesn't move it. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** The value that a share of all values does not exceed; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
