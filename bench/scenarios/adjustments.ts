/** Adjustments per second, one per request, compared with SQL by hand (A) and with a server that only parses and responds. */
import type { Figure } from "../../test/support/runs/report.ts";
import {
  adjusting,
  type Bench,
  CpuMeter,
  checkLedgers,
  compiledAfterSeconds,
  type Filled,
  figure,
  fill,
  fillMany,
  inTurn,
  measure,
  startBareServer,
  startServer,
} from "../bench.ts";
import { prepareByHand } from "../by-hand.ts";
import { profileAdjustments } from "../profile.ts";

const members = 100_000;
const businesses = 100;

export async function adjustments(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const spread = await fill(server, { members, entries: 0 });
  const others = await fillMany(server, businesses, members / businesses);
  const hot: Filled = { ...spread, caller: { ...spread.caller, members: 1 } };
  const byHand = await prepareByHand(bench, server, members);
  const clients = await byHand.bestClients();
  bench.say(`by hand, pgbench does most with ${clients} clients; warming up …`);
  const adjust = (connections: number, filled = [spread], seconds = bench.options.seconds) =>
    measure(bench, server.service.port, adjusting(...filled), { connections, seconds });
  for (const filled of [[spread], others]) await adjust(64, filled, compiledAfterSeconds);
  const { port: bareServer } = await startBareServer(bench);
  const bareLoad = (seconds = bench.options.seconds) =>
    measure(bench, bareServer, adjusting(spread), { connections: 64, seconds });
  await bareLoad(compiledAfterSeconds);
  const cpu = new CpuMeter(server);
  const { a, bare, aAlone, at64, at256, oneAccount, many, alone } = await inTurn(bench, {
    a: () => byHand.run(clients),
    bare: () => bareLoad(),
    at64: () => cpu.during(() => adjust(64)),
    at256: () => adjust(256),
    oneAccount: () => adjust(64, [hot]),
    many: () => adjust(64, others),
    aAlone: () => byHand.run(1),
    alone: () => adjust(1),
  });
  await checkLedgers(server, [spread, ...others]);
  const atLeast = (ratio: number) => ({ against: ["A", a] as const, target: { atLeast: ratio } });
  const mean = { of: "mean", against: ["A, one client", aAlone], target: { atMost: 2.5 } } as const;
  return [
    figure(`A, by hand, pgbench, ${clients} clients`, a),
    figure("64 connections", at64, atLeast(1.4)),
    figure("64 connections, against a bare server", at64, {
      against: ["a bare node:http server", bare],
      target: { atLeast: 0.4 },
    }),
    figure("256 connections", at256, atLeast(1.7)),
    figure("64 connections, 99th percentile", at64, { of: "p99", target: { atMost: 25 } }),
    figure("one account", oneAccount, { against: ["all accounts", at64], target: { atLeast: 0.9 } }),
    figure(`${businesses} businesses in turn, 64 connections`, many, atLeast(1.2)),
    figure("one connection, mean", alone, mean),
    ...cpu.figures(),
    ...(bench.options.profile ? await profileAdjustments(bench) : []),
  ];
}
