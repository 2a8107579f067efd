/** Several processes on one PostgreSQL and the same accounts: how much more they do, and that nothing is lost. */
import { readConfig } from "../../src/config.ts";
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { type Bench, fillBusiness, measure, type Scenario, startOnNewDatabase } from "../bench.ts";
import { callerOf, checkLedger } from "../business.ts";
import type { LoadResult } from "../load.ts";
import { type Figure, median } from "../report.ts";
import { basePath, type ServiceProcess, startService } from "../service.ts";

const database = "workers";
const connections = 256;
const counts = [1, 2, 4];

export const workers: Scenario = async (bench) => {
  const first = await startOnNewDatabase(bench, database);
  const business = await fillBusiness(bench, database, { members: 10_000, entries: 0 });
  const caller = await callerOf(first, business, business);
  await first.stop();
  const results = new Map<number, LoadResult[]>(counts.map((count) => [count, []]));
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const count of counts) {
      const group = await startGroup(bench, count);
      try {
        const traffic = {
          kind: "adjustments",
          path: basePath + adjustWallet.path,
          callers: [caller],
        } as const;
        const ports = group.map((service) => service.port);
        results.get(count)?.push(await measure(bench, { ports, connections, traffic }));
      } finally {
        for (const service of group) await service.stop();
      }
    }
  }
  const sql = bench.server.open(database, 1);
  await checkLedger(sql, business.businessId).finally(() => sql.end());
  return counts.map((count) => figureOf(count, results.get(count) ?? [], results.get(1) ?? []));
};

/** So many workers: of one service where it can have several, else so many services. */
async function startGroup({ server }: Bench, count: number): Promise<ServiceProcess[]> {
  if ("workers" in readConfig({})) {
    return [await startService({ server, database, environment: { LOYALTY_WORKERS: String(count) } })];
  }
  const group: ServiceProcess[] = [];
  for (let number = 0; number < count; number++) group.push(await startService({ server, database }));
  return group;
}

function figureOf(count: number, results: readonly LoadResult[], alone: readonly LoadResult[]): Figure {
  const ratios = results.map((result, round) => result.perSecond / (alone[round]?.perSecond ?? Number.NaN));
  return {
    what: `${count} processes, ${connections} connections`,
    value: median(results.map((result) => result.perSecond)),
    unit: "/s",
    ...(count === 1 ? {} : { against: "one process", ratio: median(ratios) }),
    details: { rounds: results },
  };
}
