#!/usr/bin/env node
/** `npm run bench`: measures the service side by side with what its users would write by hand. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Bench, Scenario } from "./bench.ts";
import { endOnSignals } from "./child.ts";
import { startDatabaseServer } from "./database-server.ts";
import { describeScenarios, itemsOf, rejectOptions, type Scenarios, sayer, unknownNames } from "./program.ts";
import { resultsOf, type ScenarioReport, tableOf, writeResults } from "./report.ts";
import { adjustments } from "./scenarios/adjustments.ts";
import { footprint } from "./scenarios/footprint.ts";
import { growth } from "./scenarios/growth.ts";
import { isolation } from "./scenarios/isolation.ts";
import { lists } from "./scenarios/lists.ts";
import { processes } from "./scenarios/processes.ts";
import { reads } from "./scenarios/reads.ts";
import { replays } from "./scenarios/replays.ts";
import { runtimes } from "./scenarios/runtimes.ts";
import { sales } from "./scenarios/sales.ts";
import { settling } from "./scenarios/settling.ts";
import { sizing } from "./scenarios/sizing.ts";
import { root } from "./service.ts";

const scenarios: Scenarios<Scenario> = {
  adjustments: {
    about: "wallet adjustments a second, against SQL by hand and the bare framework",
    run: adjustments,
  },
  processes: { about: "two processes on one database, against one of them", run: processes },
  replays: { about: "replays against first writes, with a million kept keys", run: replays },
  isolation: {
    about: "other businesses beside one that replays a key, or whose ledger is held",
    run: isolation,
  },
  reads: {
    about: "first pages, a voucher, tiers and tokens a second, against the bare framework",
    run: reads,
  },
  sales: { about: "sales a second against adjustments, and quotes against a member", run: sales },
  settling: { about: "adjustments while the points of many members expire", run: settling },
  lists: { about: "every filter, first to last page, in a small and in a large ledger", run: lists },
  growth: { about: "writes with a long ledger, and while expired keys are swept", run: growth },
  footprint: { about: "memory, event-loop lag and start times", run: footprint },
  sizing: { about: "bytes, memory, and rates on one core and on all, by number of members", run: sizing },
  runtimes: { about: "the service on other Node.js programs, given by --nodes", run: runtimes },
};

const help = `Usage: npm run bench -- [--only <scenario>[,<scenario>...]] [options]

Starts a PostgreSQL of its own, the built service and a load generator, and measures:

${describeScenarios(scenarios, 12)}

  --seconds <n>    how long each load is measured (default 5)
  --rounds <n>     how often what is compared is measured in turn (default 3)
  --full           sizing at a million members, lists at 10 million entries instead of 1 million, ten minutes of footprint
  --profile        also profiles the service while it adjusts
  --nodes <p,...>  Node.js programs to compare with the one that runs this
  --directory <d>  where the database lies during the run (default: the system's temporary directory)
  --help           show this

One table of ratios comes at the end, and a JSON file in bench/results. The machine should have nothing else to do.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      seconds: { type: "string", default: "5" },
      rounds: { type: "string", default: "3" },
      full: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      nodes: { type: "string" },
      directory: { type: "string", default: tmpdir() },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const nodes = itemsOf(values.nodes) ?? [];
  // Without others there is nothing to compare.
  const usual = Object.keys(scenarios).filter((name) => name !== "runtimes" || nodes.length > 0);
  const names = itemsOf(values.only) ?? usual;
  const unknown = unknownNames(names, scenarios);
  if (unknown !== undefined) return rejectOptions("bench", unknown);
  const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
  if (!(seconds > 0) || !Number.isInteger(rounds) || rounds < 1) {
    return rejectOptions("bench", "--seconds takes a positive number and --rounds a whole one.");
  }
  if (nodes.includes("") || (names.includes("runtimes") && nodes.length === 0)) {
    return rejectOptions("bench", "--nodes takes the programs that runtimes compares.");
  }
  const options = { seconds, rounds, full: values.full, profile: values.profile, nodes };
  const startedAt = new Date();
  const say = sayer(startedAt);
  endOnSignals();
  const server = await startDatabaseServer(values.directory, say);
  const reports: ScenarioReport[] = [];
  try {
    for (const name of names) reports.push(await runScenario(name, { server, options, say }));
  } finally {
    await server.stop();
  }
  console.log(`\n${tableOf(reports)}\n`);
  const machine = { postgres: server.version };
  const results = { options, machine, scenarios: resultsOf(reports) };
  console.log(`Written: ${await writeResults(join(root, "bench/results"), startedAt, results)}`);
  return 0;
}

async function runScenario(name: string, bench: Bench): Promise<ScenarioReport> {
  const startedAt = performance.now();
  bench.say(`${name} …`);
  const figures = (await scenarios[name]?.run(bench)) ?? [];
  return { scenario: name, seconds: Math.round((performance.now() - startedAt) / 1000), figures };
}
