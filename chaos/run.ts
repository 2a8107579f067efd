#!/usr/bin/env node
/** `npm run chaos`: kills, doubles, cuts off and crowds the service, and holds it to what it promises. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  describeScenarios,
  itemsOf,
  rejectOptions,
  type Scenarios,
  sayer,
  unknownNames,
} from "../bench/program.ts";
import { writeResults } from "../bench/report.ts";
import { type Chaos, type Cleanup, cleanUp, type Result } from "./chaos.ts";
import { startPair } from "./pair.ts";
import { isKept, resultsOf, type ScenarioReport, tableOf } from "./report.ts";
import { fullDisk } from "./scenarios/disk.ts";
import { duplicates } from "./scenarios/duplicates.ts";
import { failover } from "./scenarios/failover.ts";
import { faults } from "./scenarios/faults.ts";
import { formerPrimary } from "./scenarios/former-primary.ts";
import { frozen } from "./scenarios/frozen.ts";
import { fuzzService } from "./scenarios/fuzz.ts";
import { kills } from "./scenarios/kills.ts";
import { lateBytes } from "./scenarios/late-bytes.ts";
import { lists } from "./scenarios/lists.ts";
import { lostStandby } from "./scenarios/lost-standby.ts";
import { manyWriters } from "./scenarios/many-writers.ts";
import { modelService } from "./scenarios/model.ts";
import { money } from "./scenarios/money.ts";
import { overloadService } from "./scenarios/overload.ts";
import { replayFlood } from "./scenarios/replay-flood.ts";
import { sharedKeys } from "./scenarios/shared-keys.ts";
import { crowd, Service } from "./service.ts";

const scenarios: Scenarios<(chaos: Chaos) => Promise<Result>> = {
  kills: {
    about: "kill -9 of the service, of its database and of both under load: 200 kills, 500,000 writes",
    run: (chaos) =>
      kills(chaos, {
        kills: 200,
        acknowledgements: 500_000,
        businesses: 4,
        writers: 64,
        calmMilliseconds: 7000,
      }),
  },
  duplicates: {
    about: "one key 200 times at once, over 4 processes, half of the rounds with two bodies: 2,000 rounds",
    run: async (chaos) => duplicates(chaos, await startCrowd(chaos), { rounds: 2000, copies: 200 }),
  },
  money: {
    about: "debits and credits between few accounts, over 4 processes: 200,000 movements",
    run: async (chaos) =>
      money(chaos, await startCrowd(chaos), { movements: 200_000, writers: 64, accounts: 6 }),
  },
  lists: {
    about:
      "pages against a naive reading, and walks through all pages, while writes go on: 10,000 pages, 60 walks",
    run: async (chaos) =>
      lists(chaos, await startCrowd(chaos), { reads: 10_000, walks: 60, writers: 4, readers: 6 }),
  },
  model: {
    about: "sequences of requests over the whole partner API against a model of it, some at once: 20,000",
    run: (chaos) => modelService(chaos, { sequences: 20_000, writers: 12 }),
  },
  faults: {
    about:
      "the network to the database slow, reset, cut at any message, away and silent: 1,000 cuts, 60 spells",
    run: (chaos) =>
      faults(chaos, { cuts: 1000, spells: 60, businesses: 4, writers: 64, spellMilliseconds: 5000 }),
  },
  fuzz: {
    about: "wrong requests of every kind, made from the declared schemas: 200,000",
    run: (chaos) => fuzzService(chaos, { requests: 200_000, connections: 16 }),
  },
  overload: {
    about: "12,000 clients for a minute that come again when told, then slow clients and 10,000 idle ones",
    run: (chaos) =>
      overloadService(chaos, {
        seconds: 60,
        connections: 12_000,
        idleConnections: 10_000,
        slowConnections: 200,
      }),
  },
  disk: {
    about: "the disk under the database full, and free again: 10 times; needs root, to mount a small one",
    run: (chaos) => fullDisk(chaos, { times: 10, businesses: 4, writers: 32 }),
  },
  failover: {
    about:
      "the primary killed, frozen or frozen and thawed, the standby promoted: 10 failovers; needs PostgreSQL 15 in PG15_BIN",
    run: (chaos) =>
      failover(chaos, { failovers: 10, businesses: 4, writers: 32, ways: ["killed", "frozen", "thawed"] }),
  },
  "many-writers": {
    about: "250 callers of two services, 1 % of their writes no postings: 300,000 writes",
    run: async (chaos) =>
      manyWriters(chaos, await startPair(chaos), { writes: 300_000, callers: 250, share: 0.01 }),
  },
  "replay-flood": {
    about: "100 replays a second of one key beside the postings of other businesses: 6,000",
    run: async (chaos) =>
      replayFlood(chaos, await startPair(chaos), {
        replays: 6000,
        businesses: 8,
        callersEach: 8,
        spellMilliseconds: 3000,
        slowdownAtMost: 1.5,
      }),
  },
  "shared-keys": {
    about: "one key for a write and a posting at once, beside imports and other businesses: 2,000 rounds",
    run: async (chaos) =>
      sharedKeys(chaos, await startPair(chaos), { rounds: 2000, lines: 1000, businesses: 4 }),
  },
  "former-primary": {
    about: "new members while connections still reach a former primary: 100; needs PostgreSQL 15 in PG15_BIN",
    run: (chaos) => formerPrimary(chaos, { members: 100, left: "any" }),
  },
  "lost-standby": {
    about:
      "the standby frozen, commits that wait for it cancelled: 40 times; needs PostgreSQL 15 in PG15_BIN",
    run: (chaos) => lostStandby(chaos, { times: 40, writes: 20 }),
  },
  frozen: {
    about:
      "a service, its database backends or held ledgers frozen for up to 20 s beside a second service: 30 times",
    run: async (chaos) =>
      frozen(chaos, await startPair(chaos), {
        kinds: ["service", "backends", "transactions"],
        standstills: 30,
        shortestMilliseconds: 5000,
        longestMilliseconds: 20_000,
      }),
  },
  "late-bytes": {
    about: "the last bytes of postings held, their connection cut, the bytes delivered later: 400 rounds",
    run: async (chaos) =>
      lateBytes(chaos, await startPair(chaos), { rounds: 400, delayMilliseconds: 4000, restartEvery: 8 }),
  },
};

/** Starts a service of several processes. @returns its port */
async function startCrowd(chaos: Chaos): Promise<number> {
  return (await Service.start(chaos, { workers: crowd })).port;
}

/** A scenario that has not reached its aim by then ends all the same. */
const defaultMinutes = 30;

const help = `Usage: npm run chaos -- [--only <scenario>[,<scenario>...]] [options]

Starts the built service on databases of its own, and tries to make it break a promise:

${describeScenarios(scenarios, 14)}

  --seed <n>       what is random comes from it; another one at every run by default
  --path <p>       of model: plays only the sequence that a failure names, with its seed
  --minutes <n>    how long each scenario goes on; by default until it has tried what is said above, but no longer
                   than ${defaultMinutes} minutes
  --directory <d>  where the databases lie during the run (default: the system's temporary directory)
  --help           show this

A table of figures comes at the end, and a JSON file in chaos/results. The exit status is 1 when a promise was broken.
A run can be repeated by its seed; what processes and disks do by themselves can't.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      seed: { type: "string" },
      path: { type: "string" },
      minutes: { type: "string" },
      directory: { type: "string", default: tmpdir() },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const names = itemsOf(values.only) ?? Object.keys(scenarios);
  const unknown = unknownNames(names, scenarios);
  if (unknown !== undefined) return rejectOptions("chaos", unknown);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  if (!Number.isSafeInteger(seed)) return rejectOptions("chaos", "--seed takes a whole number.");
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  if (minutes !== undefined && !(minutes > 0))
    return rejectOptions("chaos", "--minutes takes a positive number.");

  const startedAt = new Date();
  const say = sayer(startedAt);
  say(`Seed ${seed}`);
  const reports: ScenarioReport[] = [];
  for (const name of names) {
    reports.push(
      await runScenario(name, { seed, path: values.path, minutes, parent: values.directory, say }),
    );
  }
  console.log(`\n${tableOf(reports)}\n`);
  const folder = fileURLToPath(new URL("../../chaos/results", import.meta.url));
  const results = { seed, minutes, scenarios: resultsOf(reports) };
  console.log(`Seed ${seed}. Written: ${await writeResults(folder, startedAt, results)}`);
  return reports.every(isKept) ? 0 : 1;
}

interface Order {
  readonly seed: number;
  readonly path: string | undefined;
  readonly minutes: number | undefined;
  readonly parent: string;
  readonly say: (line: string) => void;
}

async function runScenario(name: string, order: Order): Promise<ScenarioReport> {
  const { seed, path, minutes, parent, say } = order;
  const directory = await mkdtemp(join(parent, "loyalty-chaos-"));
  // PostgreSQL may run under an account of its own.
  await chmod(directory, 0o755);
  const startedAt = performance.now();
  const elapsedMinutes = () => (performance.now() - startedAt) / 60_000;
  say(`${name} …`);
  const cleanups: Cleanup[] = [];
  const chaos: Chaos = {
    installation: fileURLToPath(new URL("../../", import.meta.url)),
    directory,
    newDataDirectory: async () => join(await mkdtemp(join(directory, "data-")), "data"),
    seed,
    path,
    atEnd: (cleanup) => cleanups.push(cleanup),
    say: (line) => say(`${name}: ${line}`),
    goesOn: (reached) =>
      minutes === undefined ? !reached && elapsedMinutes() < defaultMinutes : elapsedMinutes() < minutes,
  };
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  try {
    const result = await (scenarios[name] as (typeof scenarios)[string]).run(chaos);
    return { scenario: name, seconds: seconds(), ...result };
  } catch (error) {
    // One that can't go on has shown nothing, and the others are still worth their while.
    const problem = `ended by ${error instanceof Error ? error.stack : String(error)}`;
    return { scenario: name, seconds: seconds(), figures: [], violations: [problem] };
  } finally {
    await cleanUp(cleanups);
    await rm(directory, { recursive: true, force: true });
  }
}
