/** A primary with a synchronous standby fails under load, and the standby is promoted. */
import { setTimeout as sleep } from "node:timers/promises";
import { randomFrom } from "../../test/support/random.ts";
import { milliseconds, type Result, times } from "../../test/support/runs/report.ts";
import { Service } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { type LoadSize, longestOf, startLoad, underLoad } from "../load/load.ts";
import { startReplicated, urlOfPrimary } from "../replication.ts";

export interface FailoverSize extends LoadSize {
  readonly failovers: number;
  /** How the primary fails, in turn. */
  readonly ways: readonly Way[];
}

/** A resumed primary acts as a primary again, until it is killed. */
const ways = ["killed", "frozen", "resumed"] as const;
type Way = (typeof ways)[number];

const responseWithinMilliseconds = 17_000;
/** The service notices a frozen primary when statements reach their time limit. */
const writesAgainWithinMilliseconds: Record<Way, number> = { killed: 5000, frozen: 20_000, resumed: 20_000 };

export async function failover(chaos: Chaos, size: FailoverSize): Promise<Result> {
  const servers = await startReplicated(chaos);
  if ("figures" in servers) return servers;
  let { primary, standby } = servers;
  const environment = { DATABASE_URL: urlOfPrimary([primary, standby]) };
  const service = await Service.start(chaos, { environment });
  const load = await startLoad(chaos, service.port, size);
  const random = randomFrom(chaos.seed);
  const takeovers: Record<Way, number[]> = { killed: [], frozen: [], resumed: [] };
  const order = { what: "failovers", times: size.failovers };
  const running = underLoad(chaos, load, order, async (done) => {
    await sleep(500 + random.below(2000));
    const way = size.ways[done % size.ways.length] as Way;
    await (way === "killed" ? primary.kill() : primary.freeze());
    await sleep(random.below(1000));
    const promotedAt = performance.now();
    await standby.promote();
    await load.untilWritten(promotedAt + 1);
    takeovers[way].push(load.lastWriteAt - promotedAt);
    await service.ready();
    if (way === "resumed") {
      // It accepts writes that it can't commit.
      await sleep(random.below(10_000));
      await primary.thaw();
      await sleep(5000);
    }
    await primary.kill();
    [primary, standby] = [standby, primary];
    await standby.follow(primary);
  });
  const figures = await running.catch((cause: Error) => {
    throw new Error(`${cause.message}\n${service.process.log}`, { cause });
  });
  return {
    violations: load.violations.list(),
    figures: [
      ...figures,
      milliseconds("longest request, promised", longestOf(load.responses), responseWithinMilliseconds),
      ...ways.flatMap((way) => [
        times(`primary ${way}`, takeovers[way].length),
        milliseconds(
          `primary ${way}: first write after the promotion, at most`,
          Math.max(0, ...takeovers[way]),
          writesAgainWithinMilliseconds[way],
        ),
      ]),
    ],
  };
}
