/** Several processes on one PostgreSQL and the same accounts: how much more they do, and that nothing is lost. */
import { adjustWallet } from "../../src/operations/partner/wallet/adjust.ts";
import { checkLedgers, fillBusiness, measure, type Scenario, startOnNewDatabase } from "../bench.ts";
import { callerOf } from "../business.ts";
import type { LoadResult } from "../load.ts";
import { type Figure, median } from "../report.ts";
import { basePath, startService } from "../service.ts";

const database = "workers";
const connections = 256;
const counts = [1, 2, 4];

export const workers: Scenario = async (bench) => {
  const first = await startOnNewDatabase(bench, database);
  const business = await fillBusiness(bench, database, { members: 10_000, entries: 0 });
  const caller = await callerOf(first, business, business);
  await first.stop();
  const traffic = { kind: "adjustments", path: basePath + adjustWallet.path, callers: [caller] } as const;
  const results = new Map<number, LoadResult[]>(counts.map((count) => [count, []]));
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const count of counts) {
      const environment = { LOYALTY_WORKERS: String(count) };
      const { port, stop } = await startService({ server: bench.server, database, environment });
      try {
        results.get(count)?.push(await measure(bench, { port, connections, traffic }));
      } finally {
        await stop();
      }
    }
  }
  await checkLedgers(bench, database, [business]);
  return counts.map((count) => figureOf(count, results.get(count) ?? [], results.get(1) ?? []));
};

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
