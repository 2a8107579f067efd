/** What `npm run bench` and `npm run chaos` share: they run scenarios by name and print a table of figures. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isKept, type Result, type ScenarioReport, tableOf, writeResults } from "./report.ts";
import { type Cleanup, cleanUp, type Run } from "./run.ts";

export type Scenarios<Context> = Readonly<
  Record<string, { readonly about: string; readonly run: (context: Context) => Promise<Result> }>
>;

/** The options that both programs have. */
export const commonOptions = {
  only: { type: "string" },
  directory: { type: "string", default: tmpdir() },
  help: { type: "boolean", short: "h", default: false },
} as const;

export const helpOfCommonOptions = `  --directory <d>  where the databases are during the run (default: the system's temporary directory)
  --help           show this`;

export function helpOf<Context>(program: string, scenarios: Scenarios<Context>): string {
  const width = Math.max(...Object.keys(scenarios).map((name) => name.length));
  const lines = Object.entries(scenarios).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`);
  return `Usage: npm run ${program} -- [--only <scenario>[,<scenario>...]] [options]\n\n${lines.join("\n")}\n`;
}

/** Says what is wrong with the options. @returns the exit status */
export function rejectOptions(program: string, problem: string): number {
  console.error(`${problem} See npm run ${program} -- --help.`);
  return 2;
}

export interface Order<Context> {
  readonly program: "bench" | "chaos";
  readonly scenarios: Scenarios<Context>;
  /** Names between commas; all by default. */
  readonly only: string | undefined;
  readonly directory: string;
  /** For the file of results. */
  readonly options: object;
  readonly contextOf: (run: Run) => Context;
}

/** Runs scenarios one after the other. @returns the exit status: 1 if a promise was broken */
export async function runScenarios<Context>(order: Order<Context>): Promise<number> {
  const { program, scenarios, options } = order;
  const names = order.only?.split(",").map((name) => name.trim()) ?? Object.keys(scenarios);
  const unknown = names.filter((name) => !(name in scenarios));
  if (unknown.length > 0) return rejectOptions(program, `No scenario is called ${unknown.join(", ")}.`);
  const startedAt = new Date();
  const say = (line: string) => {
    const time = new Date(Date.now() - startedAt.getTime()).toISOString().slice(11, 19);
    console.error(`${time}  ${line}`);
  };
  const cleanups: Cleanup[] = [];
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => cleanUp(cleanups).then(() => process.exit(1)));
  }
  // From dist-bench/test/support/runs, or dist-chaos/test/support/runs.
  const installation = fileURLToPath(new URL("../../../../", import.meta.url));
  const reports: ScenarioReport[] = [];
  for (const name of names) {
    const directory = await mkdtemp(join(order.directory, `loyalty-${program}-`));
    cleanups.push(() => rm(directory, { recursive: true, force: true }));
    // PostgreSQL may run under another account.
    await chmod(directory, 0o755);
    say(`${name} …`);
    const context = order.contextOf({
      installation,
      directory,
      newDataDirectory: async () => join(await mkdtemp(join(directory, "data-")), "data"),
      atEnd: (cleanup) => cleanups.push(cleanup),
      say: (line) => say(`${name}: ${line}`),
    });
    const begun = performance.now();
    const result = await (scenarios[name] as Scenarios<Context>[string]).run(context).catch(failed);
    await cleanUp(cleanups);
    reports.push({ scenario: name, seconds: Math.round((performance.now() - begun) / 1000), ...result });
  }
  console.log(`\n${tableOf(reports)}\n`);
  const folder = join(installation, program, "results");
  console.log(`Written: ${await writeResults(folder, startedAt, options, reports)}`);
  return reports.every(isKept) ? 0 : 1;
}

/** The other scenarios still run. */
function failed(error: Error): Result {
  return { figures: [], violations: [`ended by ${error.stack}`] };
}
