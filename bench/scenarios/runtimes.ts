/** The service on other Node.js programs beside the one that runs the benchmark: what a request costs on each. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { type Bench, fillBusiness, measure, type Scenario, startOnNewDatabase } from "../bench.ts";
import { callerOf } from "../business.ts";
import { CpuMeter } from "../cpu-meter.ts";
import type { Traffic } from "../load/traffic.ts";
import type { LoadResult } from "../load.ts";
import { type Figure, median } from "../report.ts";
import { basePath, type ServiceProcess, startService } from "../service.ts";

const database = "runtimes";
const connections = 64;
const warmUpSeconds = 10;

/** A service on one Node.js, with a business that nobody else writes to. */
interface Runtime {
  readonly version: string;
  readonly service: ServiceProcess;
  readonly traffic: Traffic;
  readonly cpu: CpuMeter;
  readonly results: LoadResult[];
}

export const runtimes: Scenario = async (bench) => {
  const first = await startOnNewDatabase(bench, database);
  await first.stop();
  const started: Runtime[] = [];
  try {
    for (const node of [process.execPath, ...bench.options.nodes]) started.push(await start(bench, node));
    const load = ({ service, traffic }: Runtime, seconds = bench.options.seconds) =>
      measure(bench, { port: service.port, connections, traffic, seconds });
    for (const runtime of started) await load(runtime, warmUpSeconds);
    for (let round = 0; round < bench.options.rounds; round++) {
      for (const runtime of started) runtime.results.push(await runtime.cpu.during(() => load(runtime)));
    }
  } finally {
    for (const { service } of started) await service.stop();
  }
  return started.flatMap((runtime) => figuresOf(runtime, started[0] as Runtime));
};

async function start(bench: Bench, node: string): Promise<Runtime> {
  const version = (await promisify(execFile)(node, ["--version"])).stdout.trim();
  const service = await startService({ server: bench.server, database, node });
  const business = await fillBusiness(bench, database, { members: 10_000, entries: 0 });
  const callers = [await callerOf(service, business, business)];
  const traffic = { kind: "adjustments", path: basePath + adjustWallet.path, callers } as const;
  return { version, service, traffic, cpu: new CpuMeter(bench.server, service), results: [] };
}

function figuresOf({ version, cpu, results }: Runtime, own: Runtime): Figure[] {
  const ratios = results.map(
    (result, round) => result.perSecond / (own.results[round]?.perSecond ?? Number.NaN),
  );
  const rate: Figure = {
    what: `Node ${version}, ${connections} connections`,
    value: median(results.map((result) => result.perSecond)),
    unit: "/s",
    ...(results === own.results ? {} : { against: `Node ${own.version}`, ratio: median(ratios) }),
    details: { rounds: results },
  };
  return [rate, ...cpu.figures(`, Node ${version}`).slice(0, 1)];
}
