/** The figures of a run: one table for people, one JSON object for programs. */
import { mkdir, writeFile } from "node:fs/promises";
import { arch, cpus, platform, release } from "node:os";
import { join } from "node:path";
import type { Figure, Result } from "./chaos.ts";

export interface ScenarioReport extends Result {
  readonly scenario: string;
  readonly seconds: number;
}

type Verdict = "kept" | "BROKEN" | "reached" | "short" | "";

/** What a figure says of what was promised, or aimed at. */
function verdictOf({ value, promised, aim }: Figure): Verdict {
  if (promised !== undefined) {
    const kept = "exactly" in promised ? value === promised.exactly : value <= promised.atMost;
    return kept ? "kept" : "BROKEN";
  }
  if (aim !== undefined) return value >= aim ? "reached" : "short";
  return "";
}

/** Whether a scenario kept every promise. */
export function isKept({ violations, figures }: Result): boolean {
  return violations.length === 0 && brokenFigures({ figures }).length === 0;
}

/** The figures that break their bound. */
export function brokenFigures({ figures }: Pick<Result, "figures">): Figure[] {
  return figures.filter((figure) => verdictOf(figure) === "BROKEN");
}

/** The closing table, with what went wrong below it. */
export function tableOf(reports: readonly ScenarioReport[]): string {
  const rows = reports.flatMap(({ scenario, figures, skipped }) =>
    skipped === undefined
      ? figures.map((figure) => [
          `${scenario}: ${figure.what}`,
          amountOf(figure),
          boundOf(figure),
          verdictOf(figure),
        ])
      : [[`${scenario}: not run, ${skipped}`, "", "", ""]],
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(([what = "", amount = "", bound = "", verdict = ""]) =>
    [what.padEnd(widths[0] ?? 0), amount.padStart(widths[1] ?? 0), bound.padStart(widths[2] ?? 0), verdict]
      .join("  ")
      .trimEnd(),
  );
  const violations = reports.flatMap(({ scenario, violations }) =>
    violations.map((line) => `${scenario}: ${line}`),
  );
  return [...lines, ...(violations.length === 0 ? [] : ["", "Violations:", ...violations])].join("\n");
}

function amountOf({ value, unit }: Figure): string {
  const amount = value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
  return unit === undefined ? amount : `${amount} ${unit}`;
}

function boundOf({ promised, aim }: Figure): string {
  if (promised !== undefined) return "exactly" in promised ? `= ${promised.exactly}` : `≤ ${promised.atMost}`;
  return aim === undefined ? "" : `aim ${aim.toLocaleString("en")}`;
}

/** Writes the figures, and on what they were got, as JSON. @returns the file's path */
export async function writeResults(
  folder: string,
  reports: readonly ScenarioReport[],
  run: { readonly startedAt: Date; readonly seed: number; readonly minutes: number | undefined },
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${run.startedAt.toISOString().replace(/[:.]/g, "-")}.json`);
  const machine = {
    processors: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
  };
  const scenarios = reports.map(({ figures, ...report }) => ({
    ...report,
    kept: isKept({ figures, ...report }),
    figures: figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) })),
  }));
  const results = {
    started_at: run.startedAt.toISOString(),
    seed: run.seed,
    minutes: run.minutes,
    machine,
    scenarios,
  };
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}
