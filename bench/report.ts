/** The figures of a run: one table for people, one JSON file for what compares runs. */
import { mkdir, writeFile } from "node:fs/promises";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "./service.ts";

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
  const widths = (rows[0] as string[]).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const isNumber = [false, true, false, true, false, true, false];
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function amountText(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

/** Writes the figures, and on what they were measured, as JSON. @returns the file's path */
export async function writeResults(
  reports: readonly ScenarioReport[],
  run: { readonly startedAt: Date; readonly postgres: string; readonly options: object },
): Promise<string> {
  const folder = join(root, "bench/results");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${run.startedAt.toISOString().replace(/[:.]/g, "-")}.json`);
  const machine = {
    processors: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    memory_bytes: totalmem(),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    postgres: run.postgres,
  };
  const scenarios = reports.map(({ figures, ...report }) => ({
    ...report,
    figures: figures.map((figure) => ({ ...figure, reached: reached(figure) })),
  }));
  const results = { started_at: run.startedAt.toISOString(), options: run.options, machine, scenarios };
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}

/** The middle one of some values: one disturbed round doesn't move it. */
export function median(values: readonly number[]): number {
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
