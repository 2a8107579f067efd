/** The service on other Node.js programs beside the one that runs the benchmark: what a request costs on each. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  fillBusiness,
  measure,
  type Scenario,
  usualConnections,
} from "../bench.ts";
import { type Business, callerOf } from "../business.ts";
import type { LoadResult } from "../load/generator.ts";
import type { Traffic } from "../load/traffic.ts";
import { CpuMeter } from "../processes.ts";
import { type Figure, median } from "../report.ts";
import { type BenchService, startService } from "../service.ts";

const database = "runtimes";

/** A service on one Node.js, with a business that nobody else writes to. */
interface Runtime {
  readonly version: string;
  readonly service: BenchService;
  readonly business: Business;
  readonly traffic: Traffic;
  readonly cpu: CpuMeter;
  readonly results: LoadResult[];
}

export const runtimes: Scenario = async (bench) => {
  const compared: Runtime[] = [];
  await bench.server.create(database);
  try {
    for (const node of [process.execPath, ...bench.options.nodes]) compared.push(await start(bench, node));
    for (const runtime of compared) await load(bench, runtime, compiledAfterSeconds);
    for (let round = 0; round < bench.options.rounds; round++) {
      // Another one begins each time: none always meets what the one before it has left to be written.
      for (const index of compared.keys()) {
        const runtime = compared[(round + index) % compared.length] as Runtime;
        runtime.results.push(await runtime.cpu.during(() => load(bench, runtime)));
      }
    }
    const businesses = compared.map(({ business }) => business);
    await checkLedgers(bench, database, businesses);
    return compared.flatMap((runtime) => figuresOf(runtime, compared[0] as Runtime));
  } finally {
    for (const { service } of compared) await service.stop();
  }
};

/** The first one migrates the database. */
async function start(bench: Bench, node: string): Promise<Runtime> {
  const version = (await promisify(execFile)(node, ["--version"])).stdout.trim();
  const service = await startService({ server: bench.server, database, node });
  try {
    const business = await fillBusiness(bench, database, { members: 10_000, entries: 0 });
    const traffic = adjusting(await callerOf(service, business, business));
    return { version, service, business, traffic, cpu: new CpuMeter(bench.server, service), results: [] };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

function load(bench: Bench, { service, traffic }: Runtime, seconds = bench.options.seconds) {
  return measure(bench, service, traffic, { seconds });
}

function figuresOf(runtime: Runtime, own: Runtime): Figure[] {
  const { version, cpu, results } = runtime;
  const ratios = results.map(
    ({ perSecond }, round) => perSecond / (own.results[round] as LoadResult).perSecond,
  );
  const rate: Figure = {
    what: `Node ${version}, ${usualConnections} connections`,
    value: median(results.map((result) => result.perSecond)),
    unit: "/s",
    ...(runtime === own ? {} : { against: `Node ${own.version}`, ratio: median(ratios) }),
    details: { rounds: results },
  };
  return [rate, ...cpu.figures(`, Node ${version}`)];
}
