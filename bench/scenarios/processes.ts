/**
 * Two services on one PostgreSQL, as behind a balancer, each with half of the connections, against one with all of them:
 * writing to one business, and to many.
 */
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import {
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  type FilledBusiness,
  fillBusiness,
  measure,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { callerOf } from "../business.ts";
import type { Caller } from "../load/traffic.ts";
import { type Figure, median } from "../report.ts";
import { basePath, type ServiceProcess, startService } from "../service.ts";

const database = "processes";
const connections = 64;
const businesses = 32;
const membersOfEach = 1000;

export const processes: Scenario = async (bench) => {
  const first = await startOnNewDatabase(bench, database);
  const second = await startService({ server: bench.server, database });
  try {
    const filled: FilledBusiness[] = [];
    for (let number = 0; number < businesses; number++) {
      filled.push(await fillBusiness(bench, database, { members: membersOfEach, entries: 0 }));
    }
    const callers = await Promise.all(filled.map((business) => callerOf(first, business, business)));
    const figures: Figure[] = [];
    for (const [name, some, target] of [
      ["one business", callers.slice(0, 1), 0.9],
      [`${businesses} businesses`, callers, 1],
    ] as const) {
      figures.push(await compare(bench, [first, second], { name, callers: some, target }));
    }
    await checkLedgers(bench, database, filled);
    return figures;
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
};

async function compare(
  bench: Bench,
  services: readonly [ServiceProcess, ServiceProcess],
  { name, callers, target }: { name: string; callers: readonly Caller[]; target: number },
): Promise<Figure> {
  const traffic = { kind: "adjustments", path: basePath + adjustWallet.path, callers } as const;
  const run = async (ports: readonly number[], seconds?: number) => {
    const each = connections / ports.length;
    const loads = ports.map((port) =>
      measure(bench, { port, connections: each, traffic, ...(seconds && { seconds }) }),
    );
    const results = await Promise.all(loads);
    return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  const ports = services.map(({ port }) => port);
  await run(ports, compiledAfterSeconds);
  const rounds: { one: number; two: number }[] = [];
  for (let round = 0; round < bench.options.rounds; round++) {
    rounds.push({ one: await run(ports.slice(0, 1)), two: await run(ports) });
  }
  return {
    what: `two processes, ${name}, ${connections} connections`,
    value: median(rounds.map(({ two }) => two)),
    unit: "/s",
    against: "one process",
    ratio: median(rounds.map(({ one, two }) => two / one)),
    target: { atLeast: target },
    details: { rounds },
  };
}
