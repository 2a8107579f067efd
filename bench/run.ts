#!/usr/bin/env node
/** `npm run bench`: measures the service, and compares it with the same work written by hand. */
import { parseArgs } from "node:util";
import {
  commonOptions,
  helpOf,
  helpOfCommonOptions,
  rejectOptions,
  runScenarios,
  type Scenarios,
} from "../test/support/runs/program.ts";
import type { Figure } from "../test/support/runs/report.ts";
import type { Bench } from "./bench.ts";
import { adjustments } from "./scenarios/adjustments.ts";
import { birthdaysOfDay } from "./scenarios/birthdays.ts";
import { builds } from "./scenarios/builds.ts";
import { bulkGrants } from "./scenarios/bulk-grants.ts";
import { consolePages } from "./scenarios/console.ts";
import { floors } from "./scenarios/floors.ts";
import { growth } from "./scenarios/growth.ts";
import { imports } from "./scenarios/imports.ts";
import { isolation } from "./scenarios/isolation.ts";
import { lists } from "./scenarios/lists.ts";
import { longLists } from "./scenarios/long-lists.ts";
import { moving } from "./scenarios/moving.ts";
import { previewing } from "./scenarios/previewing.ts";
import { processes } from "./scenarios/processes.ts";
import { reads } from "./scenarios/reads.ts";
import { replays } from "./scenarios/replays.ts";
import { sales } from "./scenarios/sales.ts";
import { expiringWebhooks, settling } from "./scenarios/settling.ts";
import { sizing } from "./scenarios/sizing.ts";
import { snapshots } from "./scenarios/snapshots.ts";
import { webhooks } from "./scenarios/webhooks.ts";

const measuring = (about: string, run: (bench: Bench) => Promise<Figure[]>) => ({
  about,
  run: async (bench: Bench) => ({ figures: await run(bench), violations: [] }),
});

const scenarios: Scenarios<Bench> = {
  adjustments: measuring("wallet adjustments, compared with SQL by hand", adjustments),
  floors: measuring("processor time of reads and adjustments, compared with the same by hand", floors),
  builds: measuring("processor time of requests, compared with another build (--before)", builds),
  processes: measuring("two processes on one database, compared with one", processes),
  replays: measuring("replays, compared with first writes, with a million stored keys", replays),
  isolation: measuring("other businesses while one replays a key, or its ledger is locked", isolation),
  reads: measuring("first pages, tiers, a member and tokens per second", reads),
  sales: measuring("sales compared with adjustments, quotes compared with members/get", sales),
  settling: measuring("adjustments while points of many members expire", settling),
  webhooks: measuring("adjustments with and without events, and how fast and how many are sent", webhooks),
  snapshots: measuring("postings beside a snapshot that stays open, such as that of a backup", snapshots),
  "expiring-webhooks": measuring(
    "adjustments while events of expiry go to a slow endpoint",
    expiringWebhooks,
  ),
  previewing: measuring("a preview of rules for all sales, and adjustments meanwhile", previewing),
  moving: measuring(
    "the pause of writes while a business with a million entries moves to another cell",
    moving,
  ),
  imports: measuring("files of members and sales, and adjustments meanwhile", imports),
  "bulk-grants": measuring("a voucher for 100,000 members, and adjustments meanwhile", bulkGrants),
  birthdays: measuring("finding the birthdays of a day among a million members", birthdaysOfDay),
  lists: measuring("all filters, first to last page, in small and large ledgers; searches", lists),
  "long-lists": measuring("pages of a member with a million entries; others beside long lists", longLists),
  growth: measuring(
    "what requests cost by the size of a business; adjustments while expired keys are deleted",
    growth,
  ),
  console: {
    about: "the console in a browser: its first load over a slow line; pages by the size of a business",
    run: consolePages,
  },
  sizing: measuring("bytes, memory, and rates on one core and on all, by number of members", sizing),
};

const help = `${helpOf("bench", scenarios)}
  --seconds <n>    how long each load is measured (default 5)
  --rounds <n>     how often the compared variants are measured in turn (default 3)
  --full           the sizes of the published figures: up to a million members and ten million entries
  --profile        adjustments also profiles the service
  --before <d>     the directory of another build, such as a checkout of the last release after npm ci && npm run build
  --node <program> the Node.js that runs the other build. With --before . it compares two versions of Node.js
${helpOfCommonOptions}

Prints a table of figures, and writes it to bench/results as JSON. Use a machine that does nothing else.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      ...commonOptions,
      seconds: { type: "string", default: "5" },
      rounds: { type: "string", default: "3" },
      full: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      before: { type: "string" },
      node: { type: "string" },
    },
  });
  const { only, directory, full, profile, before, node } = values;
  if (values.help) {
    console.log(help);
    return 0;
  }
  const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
  if (!(seconds > 0) || !Number.isInteger(rounds) || rounds < 1) {
    return rejectOptions("bench", "--seconds takes a positive number and --rounds a whole one.");
  }
  const options = { seconds, rounds, full, profile, before, node };
  const contextOf = (run: Omit<Bench, "options">): Bench => ({ ...run, options });
  return runScenarios<Bench>({ program: "bench", scenarios, only, directory, options, contextOf });
}
