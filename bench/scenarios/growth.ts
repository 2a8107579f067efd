/** What writing costs when much has been written: with a long ledger, and while old keys are swept. */
import { sweepExpiredKeys } from "../../src/sweeper.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  type FilledBusiness,
  fillBusiness,
  measure,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { callerOf } from "../business.ts";
import { expiredDays, generateKeys } from "../history.ts";
import type { LoadResult } from "../load/generator.ts";
import { CpuMeter } from "../processes.ts";
import { type Figure, median } from "../report.ts";
import type { BenchService } from "../service.ts";

const smallSize = { members: 1000, entries: 10_000 };
const largeSize = { members: 100_000, entries: 1_000_000 };
const fullSize = { members: 1_000_000, entries: 10_000_000 };
const expiredKeys = 1_000_000;
const fullExpiredKeys = 10_000_000;
const idempotencyDays = 30;
/**
 * What is read for the first time comes from the disk. A service that has run for a while is compared with another one,
 * so both run until they get no quicker, or for so long.
 */
const warmUpSeconds = 5;
const mostWarmUps = 24;
const noQuicker = 1.03;
/** One that is no quicker may have met a slow moment of the machine. */
const inVainInARow = 3;

export const growth: Scenario = async (bench) => {
  const large = bench.options.full ? fullSize : largeSize;
  const small = await startFilled(bench, "growth_small", smallSize);
  const grown = await startFilled(bench, "growth_large", large);
  try {
    const cold = await warmUp(bench, grown);
    await warmUp(bench, small);
    const rounds: { small: LoadResult; large: LoadResult }[] = [];
    const cpu = {
      small: new CpuMeter(bench.server, small.service),
      large: new CpuMeter(bench.server, grown.service),
    };
    for (let round = 0; round < bench.options.rounds; round++) {
      rounds.push({
        small: await cpu.small.during(() => adjust(bench, small)),
        large: await cpu.large.during(() => adjust(bench, grown)),
      });
    }
    const sizes = [smallSize, large].map(({ entries }) => `at ${entries.toLocaleString("en")}`);
    const [atSmall, atLarge] = sizes as [string, string];
    const what = `writes ${atLarge} entries`;
    const figure: Figure = {
      what,
      value: median(rounds.map((round) => round.large.perSecond)),
      unit: "/s",
      against: atSmall,
      ratio: median(rounds.map((round) => round.large.perSecond / round.small.perSecond)),
      target: { atLeast: 0.9 },
      details: { rounds },
    };
    const first = { what: `${what}, first ${warmUpSeconds} s`, value: cold.perSecond, unit: "/s" };
    const costs = [...cpu.small.figures(`, ${atSmall}`), ...cpu.large.figures(`, ${atLarge}`)];
    const swept = await sweeping(bench, small);
    for (const { database, business } of [small, grown]) await checkLedgers(bench, database, [business]);
    return [figure, first, ...costs, ...swept];
  } finally {
    await small.service.stop();
    await grown.service.stop();
  }
};

interface Filled {
  readonly database: string;
  readonly service: BenchService;
  readonly business: FilledBusiness;
}

async function startFilled(
  bench: Bench,
  database: string,
  size: { members: number; entries: number },
): Promise<Filled> {
  const service = await startOnNewDatabase(bench, database);
  return { database, service, business: await fillBusiness(bench, database, size) };
}

/** @returns how it went at first */
async function warmUp(bench: Bench, filled: Filled): Promise<LoadResult> {
  const first = await adjust(bench, filled, warmUpSeconds);
  let best = first.perSecond;
  for (let done = 1, inVain = 0; inVain < inVainInARow && done < mostWarmUps; done++) {
    const { perSecond } = await adjust(bench, filled, warmUpSeconds);
    bench.say(`warming up: ${Math.round(perSecond)} a second`);
    inVain = perSecond > best * noQuicker ? 0 : inVain + 1;
    best = Math.max(best, perSecond);
  }
  return first;
}

async function adjust(
  bench: Bench,
  { service, business }: Filled,
  seconds = bench.options.seconds,
): Promise<LoadResult> {
  const caller = await callerOf(service, business, business);
  return measure(bench, service, adjusting(caller), { seconds });
}

/** Writes while expired keys go, against writes before and after. */
async function sweeping(bench: Bench, filled: Filled): Promise<Figure[]> {
  const keys = bench.options.full ? fullExpiredKeys : expiredKeys;
  bench.say(`${keys.toLocaleString("en")} expired keys …`);
  return bench.server.use(filled.database, async (sql) => {
    await generateKeys(sql, filled.business, { keys, days: expiredDays });
    const before = await adjust(bench, filled);
    let stopped = false;
    let swept = 0;
    const startedAt = performance.now();
    const sweep = sweepExpiredKeys(sql, idempotencyDays, {
      stopped: () => stopped,
      rowsSwept: (count) => {
        swept += count;
      },
    });
    const during = await adjust(bench, filled);
    stopped = true;
    await sweep;
    const seconds = (performance.now() - startedAt) / 1000;
    const after = await adjust(bench, filled);
    return [
      {
        what: "writes while keys are swept",
        value: during.perSecond,
        unit: "/s",
        against: "without",
        ratio: during.perSecond / median([before.perSecond, after.perSecond]),
        target: { atLeast: 0.9 },
        details: { before, during, after },
      },
      { what: "writes while keys are swept, p99", value: during.latency.p99, unit: "ms" },
      { what: "keys swept meanwhile", value: swept / seconds, unit: "/s", details: { keys, swept } },
    ];
  });
}
