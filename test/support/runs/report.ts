/** The figures of a run, as a table for people and as JSON for programs. */
import { mkdir, writeFile } from "node:fs/promises";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";

type Bound = { readonly atLeast: number } | { readonly atMost: number };

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit?: string;
  /** What the value is compared with, and the ratio to it. */
  readonly against?: string;
  readonly ratio?: number;
  /** The run fails if the figure is out of this bound. */
  readonly promised?: Bound;
  /** What the run should reach, by its ratio if it has one. A run that misses it does not fail. */
  readonly target?: Bound;
  /** More for the JSON file. */
  readonly details?: object;
}

export interface Result {
  readonly figures: readonly Figure[];
  /** Broken promises, one line each, with the details for an investigation. */
  readonly violations: readonly string[];
  /** Why the scenario can't run on this machine. */
  readonly skipped?: string;
}

export interface ScenarioReport extends Result {
  readonly scenario: string;
  readonly seconds: number;
}

/** A figure that is promised to be 0. */
export const none = (what: string, value: number): Figure => ({ what, value, promised: { atMost: 0 } });

/** How often something was done, and how often it should be done. */
export const times = (what: string, value: number, atLeast?: number): Figure => ({
  what,
  value,
  ...(atLeast !== undefined && { target: { atLeast } }),
});

/** A figure in milliseconds. */
export const milliseconds = (what: string, value: number, atMost?: number): Figure => ({
  what,
  value,
  unit: "ms",
  ...(atMost !== undefined && { promised: { atMost } }),
});

function verdictOf({ value, ratio = value, promised, target }: Figure): string {
  const bound = promised ?? target;
  if (bound === undefined) return "";
  const met = "atLeast" in bound ? ratio >= bound.atLeast : ratio <= bound.atMost;
  return promised === undefined ? (met ? "reached" : "missed") : met ? "kept" : "BROKEN";
}

/** Returns the figures that break a promise. */
export function brokenFigures({ figures }: Pick<Result, "figures">): Figure[] {
  return figures.filter((figure) => verdictOf(figure) === "BROKEN");
}

export function isKept(result: Result): boolean {
  return result.violations.length === 0 && brokenFigures(result).length === 0;
}

export function tableOf(reports: readonly ScenarioReport[]): string {
  const rows = reports.flatMap(({ scenario, figures, skipped }) =>
    skipped === undefined
      ? figures.map((figure) => rowOf(scenario, figure))
      : [[`${scenario}: not run, ${skipped}`, ...Array(6).fill("")]],
  );
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        [1, 3, 5].includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const violations = reports.flatMap((each) => each.violations.map((line) => `${each.scenario}: ${line}`));
  return [...lines, ...(violations.length === 0 ? [] : ["", "Violations:", ...violations])].join("\n");
}

function rowOf(scenario: string, figure: Figure): string[] {
  const { what, value, unit = "", against = "", ratio, promised, target } = figure;
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  const bound = promised ?? target;
  return [
    `${scenario}: ${what}`,
    value.toLocaleString("en", { maximumFractionDigits: digits }),
    unit,
    ratio?.toFixed(2) ?? "",
    against,
    bound === undefined ? "" : "atLeast" in bound ? `≥ ${bound.atLeast}` : `≤ ${bound.atMost}`,
    verdictOf(figure),
  ];
}

/** Writes the figures, and which machine they are from, as JSON. @returns the path of the file */
export async function writeResults(
  folder: string,
  startedAt: Date,
  options: object,
  reports: readonly ScenarioReport[],
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${startedAt.toISOString().replace(/[:.]/g, "-")}.json`);
  const machine = {
    processors: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    memory_bytes: totalmem(),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
  };
  const scenarios = reports.map((report) => ({
    ...report,
    kept: isKept(report),
    figures: report.figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) })),
  }));
  const all = { started_at: startedAt.toISOString(), machine, ...options, scenarios };
  await writeFile(file, `${JSON.stringify(all, null, 2)}\n`);
  return file;
}

/** The middle value, 0 if there are none. One disturbed round does not change it. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** The value that a share of all values does not exceed, 0 if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
