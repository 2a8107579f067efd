/** The figures of a run: one table for people, one JSON object for programs. */
import { amountText, textTable } from "../bench/report.ts";
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
          [amountText(figure.value), figure.unit].join(" ").trim(),
          boundOf(figure),
          verdictOf(figure),
        ])
      : [[`${scenario}: not run, ${skipped}`, "", "", ""]],
  );
  const violations = reports.flatMap(({ scenario, violations }) =>
    violations.map((line) => `${scenario}: ${line}`),
  );
  const table = textTable(rows, [1, 2]);
  return [table, ...(violations.length === 0 ? [] : ["", "Violations:", ...violations])].join("\n");
}

function boundOf({ promised, aim }: Figure): string {
  if (promised !== undefined) return "exactly" in promised ? `= ${promised.exactly}` : `≤ ${promised.atMost}`;
  return aim === undefined ? "" : `aim ${aim.toLocaleString("en")}`;
}

/** The figures for what compares runs. */
export function resultsOf(reports: readonly ScenarioReport[]): object[] {
  return reports.map((report) => ({
    ...report,
    kept: isKept(report),
    figures: report.figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) })),
  }));
}
