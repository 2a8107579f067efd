/** A pair of machines with Patroni under load: PostgreSQL, Patroni, or all processes of the primary's machine are killed. */
import { setTimeout as sleep } from "node:timers/promises";
import { randomFrom } from "../../test/support/random.ts";
import { milliseconds, percentile, type Result, times } from "../../test/support/runs/report.ts";
import { Service } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { type Load, type LoadSize, startLoad, underLoad } from "../load/load.ts";
import { installPatroni, type Machine, type PatroniPair, startPatroniPair } from "../patroni.ts";

export interface PatroniSize extends LoadSize {
  readonly kills: number;
}

const ways = ["postgresql", "patroni", "machine"] as const;
type Way = (typeof ways)[number];

/** From the last write before the kill to the first one after it. */
const gapAtMostMilliseconds: Record<Way, number> = { postgresql: 30_000, patroni: 30_000, machine: 60_000 };

export async function patroni(chaos: Chaos, size: PatroniSize): Promise<Result> {
  const missing = await installPatroni(chaos);
  if (missing !== undefined) return { figures: [], violations: [], skipped: missing };
  const pair = await startPatroniPair(chaos);
  const service = await Service.start(chaos, { environment: { DATABASE_URL: pair.url } });
  const load = await startLoad(chaos, service.port, size);
  const random = randomFrom(chaos.seed);
  const gaps: Record<Way, number[]> = { postgresql: [], patroni: [], machine: [] };
  const order = { what: "kills", times: size.kills };
  const running = underLoad(chaos, load, order, async (done) => {
    await sleep(1000 + random.below(3000));
    const way = ways[done % ways.length] as Way;
    const primary = await pair.inStep();
    const killedAt = performance.now();
    await killAndRestart(way, primary, pair);
    await pair.inStep();
    await load.untilWritten(performance.now());
    gaps[way].push(longestGap(load, killedAt));
    await service.ready();
  });
  const figures = await running.catch((cause: Error) => {
    const logs = [service.process.log, ...pair.machines.map(({ log }) => log)];
    throw new Error([cause.message, ...logs].join("\n"), { cause });
  });
  return {
    violations: load.violations.list(),
    figures: [
      ...figures,
      ...ways.flatMap((way) => [
        times(`${way} killed`, gaps[way].length),
        milliseconds(`${way} killed: gap, median`, percentile(gaps[way], 0.5)),
        milliseconds(`${way} killed: gap, at most`, Math.max(0, ...gaps[way]), gapAtMostMilliseconds[way]),
      ]),
    ],
  };
}

async function killAndRestart(way: Way, primary: Machine, pair: PatroniPair): Promise<void> {
  if (way === "postgresql") return primary.killPostgres();
  if (way === "patroni") {
    await primary.killPatroni();
    // systemd starts it again.
    await sleep(1000);
    return primary.start();
  }
  await primary.kill();
  const other = pair.otherThan(primary);
  while (!(await other.is("primary"))) await sleep(50);
  primary.start();
}

/** The longest time without an acknowledged write since a moment. */
function longestGap(load: Load, since: number): number {
  const moments = load.responses
    .filter(({ outcome, respondedAt }) => outcome === "success" && respondedAt > since - 1000)
    .map(({ respondedAt }) => respondedAt)
    .sort((one, other) => one - other);
  return Math.max(...moments.slice(1).map((moment, index) => moment - (moments[index] as number)));
}
