/** Two services on one database, compared with one of them with the same number of connections. */
import type { Figure } from "../../test/support/runs/report.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  type Filled,
  figure,
  fill,
  fillMany,
  inTurn,
  type Measured,
  measure,
  startBeside,
  startServer,
} from "../bench.ts";

/** As a proxy does that sends all requests of a business to one process. */
async function measureKept(
  bench: Bench,
  ports: readonly number[],
  many: readonly Filled[],
  connections: number,
): Promise<Measured> {
  const parts = await Promise.all(
    ports.map((port, nth) => {
      const own = many.filter((_, index) => index % ports.length === nth);
      return measure(bench, port, adjusting(...own), { connections: connections / ports.length });
    }),
  );
  const sum = (of: (part: Measured) => number) => parts.reduce((all, part) => all + of(part), 0);
  return {
    perSecond: sum(({ perSecond }) => perSecond),
    mean: sum(({ mean }) => mean) / parts.length,
    p99: Math.max(...parts.map(({ p99 }) => p99)),
  };
}

const connectionCounts = [64, 256];
const businesses = 32;

export async function processes(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const { port } = await startBeside(bench, server);
  const ports = [server.service.port, port];
  const business = await fill(server, { members: 10_000, entries: 0 });
  const many = await fillMany(server, businesses, 1000);
  const loads = [
    { name: "one business", workload: adjusting(business), atLeast: 0.9 },
    { name: `${businesses} businesses`, workload: adjusting(...many), atLeast: 1 },
  ];
  for (const { workload } of loads) await measure(bench, ports, workload, { seconds: compiledAfterSeconds });
  const figures: Figure[] = [];
  for (const connections of connectionCounts) {
    for (const { name, workload, atLeast } of loads) {
      const { one, two } = await inTurn(bench, {
        one: () => measure(bench, ports.slice(0, 1), workload, { connections }),
        two: () => measure(bench, ports, workload, { connections }),
      });
      const where = `${name}, ${connections} connections`;
      figures.push(
        figure(`one process, ${where}`, one),
        figure(`two processes, ${where}`, two, { against: ["one process", one], target: { atLeast } }),
      );
    }
  }
  for (const connections of connectionCounts) {
    const { mixed, kept } = await inTurn(bench, {
      mixed: () => measure(bench, ports, adjusting(...many), { connections }),
      kept: () => measureKept(bench, ports, many, connections),
    });
    const where = `${businesses} businesses, ${connections} connections`;
    figures.push(
      figure(`two processes, each with half of the businesses, ${where}`, kept, {
        against: ["all businesses in both", mixed],
      }),
    );
  }
  await checkLedgers(server, [business, ...many]);
  return figures;
}
