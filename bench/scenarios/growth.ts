/** Adjustments with a long ledger compared with a short one, and while expired keys are deleted. */

import { keyDays } from "../../src/domain/idempotency.ts";
import { sweepExpiredKeys } from "../../src/sweeper.ts";
import { type Figure, percentile } from "../../test/support/runs/report.ts";
import {
  adjusting,
  type Bench,
  CpuMeter,
  checkLedgers,
  type Filled,
  figure,
  fill,
  inTurn,
  measure,
  type Server,
  startServer,
} from "../bench.ts";
import { fillKeys } from "../history.ts";

const smallSize = { members: 1000, entries: 10_000 };
const largeSize = { members: 100_000, entries: 1_000_000 };
const fullSize = { members: 1_000_000, entries: 10_000_000 };
const expiredDaysAgo = keyDays.default + 10;
/** What is read for the first time comes from the disk, so both run until they get no faster, or for two minutes. */
const warmUpSeconds = 5;
const mostWarmUps = 24;
const noFaster = 1.03;

interface Grown {
  readonly server: Server;
  readonly business: Filled;
  readonly cpu: CpuMeter;
}

export async function growth(bench: Bench): Promise<Figure[]> {
  const largest = bench.options.full ? fullSize : largeSize;
  const start = async (size: typeof smallSize): Promise<Grown> => {
    const server = await startServer(bench);
    return { server, business: await fill(server, size), cpu: new CpuMeter(server) };
  };
  const adjust = ({ server, business, cpu }: Grown, seconds = bench.options.seconds) =>
    cpu.during(() => measure(bench, server.service.port, adjusting(business), { seconds }));
  const warmUp = async (grown: Grown) => {
    // A single run may meet a slow moment of the machine.
    for (let rates: number[] = []; rates.length < mostWarmUps; ) {
      rates = [...rates, (await adjust(grown, warmUpSeconds)).perSecond];
      const [recent, before] = [rates.slice(-3), rates.slice(0, -3)];
      if (percentile(recent, 1) < percentile(before, 1) * noFaster) return;
    }
  };
  const [small, large] = [await start(smallSize), await start(largest)];
  for (const grown of [large, small]) await warmUp(grown);
  const results = await inTurn(bench, { small: () => adjust(small), large: () => adjust(large) });
  const [atSmall, atLarge] = [smallSize, largest].map(
    ({ entries }) => `at ${entries.toLocaleString("en")} entries`,
  );
  const figures = [
    figure(`adjustments ${atLarge}`, results.large, {
      against: [`${atSmall}`, results.small],
      target: { atLeast: 0.9 },
    }),
    ...small.cpu.figures(`, ${atSmall}`),
    ...large.cpu.figures(`, ${atLarge}`),
  ];

  const keys = bench.options.full ? 10_000_000 : 1_000_000;
  bench.say(`${keys.toLocaleString("en")} expired keys …`);
  const { sql } = small.server;
  let swept = 0;
  let seconds = 0;
  await fillKeys(sql, small.business, { keys, daysAgo: expiredDaysAgo });
  const sweeping = await inTurn(bench, {
    without: () => adjust(small),
    beside: async () => {
      let stopped = false;
      const startedAt = performance.now();
      const rowsSwept = (count: number) => {
        swept += count;
      };
      const sweep = sweepExpiredKeys(sql, keyDays.default, { stopped: () => stopped, rowsSwept });
      const result = await adjust(small);
      stopped = true;
      await sweep;
      seconds += (performance.now() - startedAt) / 1000;
      return result;
    },
  });
  for (const { server, business } of [small, large]) await checkLedgers(server, [business]);
  return [
    ...figures,
    figure("adjustments while expired keys are deleted", sweeping.beside, {
      against: ["without", sweeping.without],
      target: { atLeast: 0.9 },
    }),
    figure("adjustments while expired keys are deleted, 99th percentile", sweeping.beside, { of: "p99" }),
    { what: "keys deleted", value: swept / seconds, unit: "/s" },
  ];
}
