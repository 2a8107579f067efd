#!/usr/bin/env node
/** `npm run chaos`: causes faults, duplicates and overload, and checks the promises of the service. */
import { parseArgs } from "node:util";
import {
  commonOptions,
  helpOf,
  helpOfCommonOptions,
  rejectOptions,
  runScenarios,
  type Scenarios,
} from "../test/support/runs/program.ts";
import { crowd, Service } from "../test/support/runs/service.ts";
import type { Chaos } from "./chaos.ts";
import { startPair } from "./pair.ts";
import { cells, movers } from "./scenarios/cells.ts";
import { manyWriters, money } from "./scenarios/crowd.ts";
import { fullDisk } from "./scenarios/disk.ts";
import { duplicates, sharedKeys } from "./scenarios/duplicates.ts";
import { failover } from "./scenarios/failover.ts";
import { faults } from "./scenarios/faults.ts";
import { formerPrimary } from "./scenarios/former-primary.ts";
import { frozen } from "./scenarios/frozen.ts";
import { fuzzService } from "./scenarios/fuzz.ts";
import { kills } from "./scenarios/kills.ts";
import { lateBytes } from "./scenarios/late-bytes.ts";
import { lists } from "./scenarios/lists.ts";
import { lostStandby } from "./scenarios/lost-standby.ts";
import { modelService } from "./scenarios/model.ts";
import { occasions } from "./scenarios/occasions.ts";
import { overloadService } from "./scenarios/overload.ts";
import { patroni } from "./scenarios/patroni.ts";
import { replayFlood } from "./scenarios/replay-flood.ts";

/** Starts a service of several processes. @returns its port */
const startCrowd = async (chaos: Chaos) => (await Service.start(chaos, { workers: crowd })).port;

const scenarios: Scenarios<Chaos> = {
  kills: {
    about: "kill -9 of the service, its database and both under load: 200 kills, 500,000 writes",
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
    about: "debits and credits of few accounts, over 4 processes: 200,000 movements",
    run: async (chaos) =>
      money(chaos, await startCrowd(chaos), { movements: 200_000, businesses: 1, writers: 64, accounts: 6 }),
  },
  lists: {
    about: "pages, and all pages of a list, while others write: 10,000 pages, 60 walks",
    run: async (chaos) =>
      lists(chaos, await startCrowd(chaos), { reads: 10_000, walks: 60, writers: 4, readers: 6 }),
  },
  occasions: {
    about: "members join and live through two years, while the service is killed: 10,000 members",
    run: (chaos) => occasions(chaos, { members: 10_000, callers: 8, calmMilliseconds: 10_000 }),
  },
  model: {
    about: "random requests of the whole partner API, compared with a model, some at once: 20,000 sequences",
    run: (chaos) => modelService(chaos, { sequences: 20_000, writers: 12 }),
  },
  faults: {
    about:
      "the network to the database slow, reset, cut at any message, down and silent: 1,000 cuts, 60 periods",
    run: (chaos) =>
      faults(chaos, { cuts: 1000, periods: 60, businesses: 4, writers: 64, periodMilliseconds: 5000 }),
  },
  fuzz: {
    about: "wrong requests of every kind, made from the declared schemas: 200,000",
    run: (chaos) => fuzzService(chaos, { requests: 200_000, connections: 16 }),
  },
  overload: {
    about: "12,000 clients for a minute, then slow clients and 10,000 idle ones",
    run: (chaos) =>
      overloadService(chaos, {
        seconds: 60,
        connections: 12_000,
        idleConnections: 10_000,
        slowConnections: 200,
      }),
  },
  disk: {
    about: "the disk of the database full, and free again: 10 times; needs root, to mount a small disk",
    run: (chaos) => fullDisk(chaos, { times: 10, businesses: 4, writers: 32 }),
  },
  failover: {
    about: "the primary killed or frozen, the standby promoted: 10 times; needs PostgreSQL 15 in PG15_BIN",
    run: (chaos) =>
      failover(chaos, { failovers: 10, businesses: 4, writers: 32, ways: ["killed", "frozen", "resumed"] }),
  },
  patroni: {
    about:
      "PostgreSQL, Patroni or the machine of the primary of a Patroni pair killed: 9 kills; installs Debian 12's packages, as root",
    run: (chaos) => patroni(chaos, { kills: 9, businesses: 4, writers: 32 }),
  },
  cells: {
    about:
      "a business moved between two cells behind two HAProxies; in each move the command, a cell or an HAProxy killed: 20 moves",
    run: (chaos) => cells(chaos, { moves: 20, victims: movers, killWithinMilliseconds: 26_000, writers: 16 }),
  },
  "many-writers": {
    about: "250 callers of two services, 1 % of their writes no postings: 300,000 writes",
    run: async (chaos) =>
      manyWriters(chaos, await startPair(chaos), { writes: 300_000, callers: 250, share: 0.01 }),
  },
  "replay-flood": {
    about: "100 replays of one key per second, beside other businesses: 6,000",
    run: async (chaos) =>
      replayFlood(chaos, await startPair(chaos), {
        replays: 6000,
        businesses: 8,
        callersEach: 8,
        periodMilliseconds: 3000,
        slowdownAtMost: 1.5,
      }),
  },
  "shared-keys": {
    about: "one key for a write and a posting at once, during imports: 2,000 rounds",
    run: async (chaos) =>
      sharedKeys(chaos, await startPair(chaos), { rounds: 2000, lines: 1000, businesses: 4 }),
  },
  "former-primary": {
    about: "new members while connections reach a former primary: 100; needs PostgreSQL 15 in PG15_BIN",
    run: (chaos) => formerPrimary(chaos, { members: 100, left: "any" }),
  },
  "lost-standby": {
    about: "commits that wait for a frozen standby cancelled: 40 times; needs PostgreSQL 15 in PG15_BIN",
    run: (chaos) => lostStandby(chaos, { times: 40, writes: 20 }),
  },
  frozen: {
    about:
      "a service, its database connections or ledgers frozen for up to 20 s, beside a second service: 30 times",
    run: async (chaos) =>
      frozen(chaos, await startPair(chaos), {
        kinds: ["service", "backends", "transactions"],
        freezes: 30,
        shortestMilliseconds: 5000,
        longestMilliseconds: 20_000,
      }),
  },
  "late-bytes": {
    about: "the last bytes of postings held and delivered after their connection was cut: 400 rounds",
    run: async (chaos) =>
      lateBytes(chaos, await startPair(chaos), { rounds: 400, delayMilliseconds: 4000, restartEvery: 8 }),
  },
};

/** A scenario ends after this time, even if it has not done everything. */
const defaultMinutes = 30;

const help = `${helpOf("chaos", scenarios)}
  --seed <n>       the source of random choices; another one in each run by default
  --path <p>       for model: runs only the sequence that a failure names, with its seed
  --minutes <n>    how long each scenario runs; by default until it has done what its line says, at most ${defaultMinutes} minutes
${helpOfCommonOptions}

Prints a table of figures, and writes it to chaos/results as JSON. The exit status is 1 if a promise was broken.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      ...commonOptions,
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
      path: { type: "string" },
      minutes: { type: "string" },
    },
  });
  const { only, directory, path } = values;
  if (values.help) {
    console.log(help);
    return 0;
  }
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) return rejectOptions("chaos", "--seed takes a whole number.");
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  if (minutes !== undefined && !(minutes > 0))
    return rejectOptions("chaos", "--minutes takes a positive number.");
  console.error(`Seed ${seed}`);
  return runScenarios<Chaos>({
    program: "chaos",
    scenarios,
    only,
    directory,
    options: { seed, minutes },
    contextOf: (run) => {
      const startedAt = performance.now();
      const elapsed = () => (performance.now() - startedAt) / 60_000;
      const goesOn = (reached: boolean) =>
        minutes === undefined ? !reached && elapsed() < defaultMinutes : elapsed() < minutes;
      return { ...run, seed, path, goesOn };
    },
  });
}
