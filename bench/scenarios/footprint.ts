/** Memory and event-loop lag under load, and how long the service takes to start. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { residentBytes, startService } from "../../test/support/service-process.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  fillBusiness,
  measure,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { callerOf } from "../business.ts";
import { track } from "../child.ts";
import { type Figure, median } from "../report.ts";
import { type BenchService, root } from "../service.ts";

const database = "footprint";
const loadSeconds = 60;
const fullLoadSeconds = 600;
const sampleMilliseconds = 2000;
const starts = 3;
const megabyte = 1024 * 1024;

export const footprint: Scenario = async (bench) => [
  ...(await underLoad(bench)),
  ...(await startTimes(bench)),
];

interface Sample {
  readonly resident: number | undefined;
  readonly lagSeconds: number;
}

async function underLoad(bench: Bench): Promise<Figure[]> {
  const seconds = bench.options.full ? fullLoadSeconds : loadSeconds;
  const service = await startOnNewDatabase(bench, database);
  try {
    const business = await fillBusiness(bench, database, { members: 100_000, entries: 0 });
    const caller = await callerOf(service, business, business);
    const sampler = startSampler(service);
    await measure(bench, service, adjusting(caller), { seconds });
    const figures = figuresOf(seconds, await sampler.stop());
    await checkLedgers(bench, database, [business]);
    return figures;
  } finally {
    await service.stop();
  }
}

/** Memory and lag at intervals; the service's own gauge of the lag starts anew each time it is read. */
function startSampler(service: BenchService) {
  const samples: Sample[] = [];
  let stopped = false;
  const sampling = (async () => {
    while (!stopped) {
      await sleep(sampleMilliseconds);
      const lagSeconds = await service.metric("nodejs_eventloop_lag_p99_seconds");
      samples.push({ resident: await residentBytes(service.pid), lagSeconds });
    }
  })();
  return {
    async stop(): Promise<readonly Sample[]> {
      stopped = true;
      await sampling;
      return samples;
    },
  };
}

function figuresOf(seconds: number, samples: readonly Sample[]): Figure[] {
  const resident = samples.flatMap((sample) => sample.resident ?? []).map((bytes) => bytes / megabyte);
  const figures: Figure[] = [
    {
      what: `event-loop lag, p99, median over ${seconds} s`,
      value: median(samples.map((sample) => sample.lagSeconds * 1000)),
      unit: "ms",
      target: { atMost: 30 },
      details: { samples },
    },
  ];
  // Where memory can't be told, nothing is said of it.
  if (resident.length < 3) return figures;
  const third = Math.floor(resident.length / 3);
  const lateMedian = median(resident.slice(-third));
  return [
    {
      what: `memory, most in ${seconds} s`,
      value: Math.max(...resident),
      unit: "MB",
      target: { atMost: 200 },
    },
    {
      what: "memory, last third",
      value: lateMedian,
      unit: "MB",
      against: "second third",
      ratio: lateMedian / median(resident.slice(third, 2 * third)),
      target: { atMost: 1.1 },
    },
    ...figures,
  ];
}

/** From the start of the process, database and all, to its first answer. */
async function startTimes({ say }: Bench): Promise<Figure[]> {
  const empty: number[] = [];
  const existing: number[] = [];
  for (let round = 0; round < starts; round++) {
    const directory = await mkdtemp(join(tmpdir(), "loyalty-bench-start-"));
    try {
      // PostgreSQL runs as another account when this is root, and has to get in.
      await chmod(directory, 0o755);
      empty.push(await timeStart(directory));
      existing.push(await timeStart(directory));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    say(`start ${round + 1}: ${empty.at(-1)?.toFixed(2)} s empty, ${existing.at(-1)?.toFixed(2)} s existing`);
  }
  return [
    {
      what: "start on an existing data directory",
      value: median(existing),
      unit: "s",
      target: { atMost: 1 },
    },
    { what: "start on an empty data directory", value: median(empty), unit: "s", target: { atMost: 4 } },
  ];
}

/** @returns the seconds from the start to the first answer */
async function timeStart(dataDirectory: string): Promise<number> {
  const startedAt = performance.now();
  const environment = { HOST: "127.0.0.1", LOYALTY_DATA_DIR: dataDirectory };
  const service = startService({ directory: root, environment });
  track(service.child);
  try {
    const { origin } = new URL(await service.ready());
    await (await fetch(`${origin}/health/ready`)).text();
    return (performance.now() - startedAt) / 1000;
  } finally {
    await service.stop();
  }
}
