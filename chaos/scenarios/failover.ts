/**
 * A primary with a synchronous standby loses power, or stops answering, under a mixed load, and the standby takes
 * over: what was acknowledged is there, and the service finds the new primary by itself.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { HttpConnection } from "../../test/support/http-connection.ts";
import { randomFrom } from "../../test/support/random.ts";
import { type Chaos, eventually, milliseconds, type Result } from "../chaos.ts";
import { type LoadSize, MixedLoad, overdueMilliseconds } from "../load/mixed-load.ts";
import { Operator } from "../operator.ts";
import { type Server, startReplicated, urlOfPrimary } from "../replication.ts";
import { isReady, Service } from "../service.ts";

export interface FailoverSize extends LoadSize {
  readonly failovers: number;
  /** How the primary fails, in turn. */
  readonly ways: readonly Way[];
}

/** A primary that is thawed takes itself for the primary until it is fenced. */
const ways = ["killed", "frozen", "thawed"] as const;
type Way = (typeof ways)[number];
type Takeovers = Record<Way, number[]>;

const answeredWithinMilliseconds = 17_000;
/** A frozen primary is found out by its silence, after the time that a statement may take. */
const writesAgainWithinMilliseconds: Record<Way, number> = { killed: 5000, frozen: 20_000, thawed: 20_000 };

export async function failover(chaos: Chaos, size: FailoverSize): Promise<Result> {
  const servers = await startReplicated(chaos);
  if ("figures" in servers) return servers;
  const { primary, standby } = servers;
  const service = await Service.start(chaos, { databaseUrl: urlOfPrimary([primary, standby]) });
  try {
    const load = await MixedLoad.start(chaos, new Operator(chaos, service.port), service.port, size);
    const takeovers = await failRepeatedly(chaos, size, [primary, standby], load, service.port);
    await load.stop();
    const figures = [
      { what: "failovers", value: Object.values(takeovers).flat().length, aim: size.failovers },
      ...(await load.figures()),
      milliseconds("longest request", load.tally.longest, answeredWithinMilliseconds),
      ...ways.flatMap((way) => [
        { what: `primary ${way}`, value: takeovers[way].length },
        milliseconds(
          `primary ${way}: writes again after the promotion, at most`,
          Math.max(0, ...takeovers[way]),
          writesAgainWithinMilliseconds[way],
        ),
      ]),
    ];
    return { violations: load.violations.list(), figures };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${service.process.log}`, { cause: error });
  }
}

async function failRepeatedly(
  { seed, goesOn, say }: Chaos,
  size: FailoverSize,
  [first, second]: readonly [Server, Server],
  load: MixedLoad,
  port: number,
): Promise<Takeovers> {
  const random = randomFrom(seed);
  const takeovers: Takeovers = { killed: [], frozen: [], thawed: [] };
  const health = new HttpConnection(port, overdueMilliseconds);
  let [primary, standby] = [first, second];
  for (let done = 0; goesOn(done >= size.failovers); done++) {
    await sleep(500 + random.below(2000));
    const way = size.ways[done % size.ways.length] as Way;
    if (way === "killed") await primary.kill();
    else await primary.freeze();
    await sleep(random.below(1000));
    const promotedAt = performance.now();
    await standby.promote();
    await load.untilWritten(promotedAt + 1);
    takeovers[way].push(load.tally.lastWriteAt - promotedAt);
    await eventually("readiness", 60_000, () => isReady(health));
    if (way === "thawed") {
      // It answers again, and may even take writes that it can't commit, until it is fenced.
      await sleep(random.below(10_000));
      await primary.thaw();
      await sleep(5000);
    }
    say(
      `${done + 1} failovers, ${load.tally.acknowledged} acknowledged, ${load.violations.count} violations`,
    );
    await primary.kill();
    [primary, standby] = [standby, primary];
    await standby.follow(primary);
  }
  health.close();
  return takeovers;
}
