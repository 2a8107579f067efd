/** The service on other Node.js programs beside the one that runs the benchmark: what a request costs on each. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import {
  type Bench,
  type FilledBusiness,
  fillBusiness,
  measure,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { callerOf, checkLedger } from "../business.ts";
import { CpuMeter } from "../cpu-meter.ts";
import type { Traffic } from "../load/traffic.ts";
import type { LoadResult } from "../load.ts";
import { type Figure, median } from "../report.ts";
import { basePath, type ServiceProcess, startService } from "../service.ts";

const database = "runtimes";
const connections = 64;
/** What runs often is still being compiled for seconds, for longer on some than on others. */
const compileSeconds = 10;

/** A service on one Node.js, with a business that nobody else writes to. */
interface Runtime {
  readonly version: string;
  readonly port: number;
  readonly traffic: Traffic;
  readonly cpu: CpuMeter;
  readonly results: LoadResult[];
}

export const runtimes: Scenario = async (bench) => {
  const nodes = [process.execPath, ...bench.options.nodes];
  // It migrates the database, which is filled before the others start.
  const first = await startOnNewDatabase(bench, database);
  await first.stop();
  const businesses = await allInTurn(nodes, () =>
    fillBusiness(bench, database, { members: 10_000, entries: 0 }),
  );
  const services: ServiceProcess[] = [];
  try {
    for (const node of nodes) services.push(await startService({ server: bench.server, database, node }));
    const compared = await allInTurn(services, (service, index) =>
      runtimeOf(bench, service, nodes[index] as string, businesses[index] as FilledBusiness),
    );
    const load = ({ port, traffic }: Runtime, seconds = bench.options.seconds) =>
      measure(bench, { port, connections, traffic, seconds });
    for (const runtime of compared) await load(runtime, compileSeconds);
    for (let round = 0; round < bench.options.rounds; round++) {
      // Another one begins each time: none always meets what the one before it has left to be written.
      for (const index of compared.keys()) {
        const runtime = compared[(round + index) % compared.length] as Runtime;
        runtime.results.push(await runtime.cpu.during(() => load(runtime)));
      }
    }
    await checkAll(bench, businesses);
    return compared.flatMap((runtime) => figuresOf(runtime, compared[0] as Runtime));
  } finally {
    for (const service of services) await service.stop();
  }
};

async function allInTurn<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const [index, item] of items.entries()) made.push(await make(item, index));
  return made;
}

async function runtimeOf(
  { server }: Bench,
  service: ServiceProcess,
  node: string,
  business: FilledBusiness,
): Promise<Runtime> {
  const version = (await promisify(execFile)(node, ["--version"])).stdout.trim();
  const callers = [await callerOf(service, business, business)];
  const traffic = { kind: "adjustments", path: basePath + adjustWallet.path, callers } as const;
  return { version, port: service.port, traffic, cpu: new CpuMeter(server, service), results: [] };
}

async function checkAll({ server }: Bench, businesses: readonly FilledBusiness[]): Promise<void> {
  const sql = server.open(database, 1);
  try {
    for (const { businessId } of businesses) await checkLedger(sql, businessId);
  } finally {
    await sql.end();
  }
}

function figuresOf(runtime: Runtime, own: Runtime): Figure[] {
  const { version, cpu, results } = runtime;
  const ratios = results.map(
    ({ perSecond }, round) => perSecond / (own.results[round] as LoadResult).perSecond,
  );
  const rate: Figure = {
    what: `Node ${version}, ${connections} connections`,
    value: median(results.map((result) => result.perSecond)),
    unit: "/s",
    ...(runtime === own ? {} : { against: `Node ${own.version}`, ratio: median(ratios) }),
    details: { rounds: results },
  };
  return [rate, ...cpu.figures(`, Node ${version}`)];
}
