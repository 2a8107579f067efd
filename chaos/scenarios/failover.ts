/**
 * A primary with a synchronous standby loses power, or stops answering, under a mixed load, and the standby takes
 * over: what was acknowledged is there, and the service finds the new primary by itself.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../test/support/service-process.ts";
import { Operator } from "../business.ts";
import { type Chaos, eventually, percentile, type Result } from "../chaos.ts";
import { Caller } from "../load/caller.ts";
import { loadFigures, type MixedLoad, startMixedLoad } from "../load/mixed-load.ts";
import { randomFrom } from "../random.ts";
import { findPrograms, Server, urlOf } from "../replication/server.ts";
import { isReady, startService, untilReady } from "../service.ts";

export interface FailoverSize {
  readonly failovers: number;
  readonly businesses: number;
  readonly writers: number;
  /** How the primary fails, in turn. */
  readonly ways: readonly Way[];
}

/** A primary that is thawed takes itself for the primary until it is fenced. */
const ways = ["killed", "frozen", "thawed"] as const;
type Way = (typeof ways)[number];

const database = "loyalty";
const overdueMilliseconds = 20_000;
const answeredWithinMilliseconds = 17_000;
/** A frozen primary is found out by its silence, after the time that a statement may take. */
const writesAgainWithinMilliseconds: Record<Way, number> = { killed: 5000, frozen: 20_000, thawed: 20_000 };

export async function failover(chaos: Chaos, size: FailoverSize): Promise<Result> {
  const programs = await findPrograms();
  if (typeof programs === "string") return { figures: [], violations: [], skipped: programs };
  const parent = join(chaos.directory, "failover");
  const servers = [
    await Server.place(programs, parent, "north"),
    await Server.place(programs, parent, "south"),
  ];
  const service = { port: await freePort(), dataDirectory: join(chaos.directory, "failover-service") };
  const operator = new Operator(service.port);
  let running: ReturnType<typeof startService> | undefined;
  try {
    const [first, second] = servers as [Server, Server];
    await first.begin(database);
    await second.follow(first);
    running = startService(chaos, { ...service, environment: { DATABASE_URL: urlOf(servers, database) } });
    await untilReady(running);
    const load = await startMixedLoad({
      port: service.port,
      operator,
      businesses: size.businesses,
      writers: size.writers,
      members: 40,
      seed: chaos.seed,
      overdueMilliseconds,
    });
    const takeovers = await failRepeatedly(chaos, size, { first, second, load, port: service.port });
    await load.stop();
    const { tally, violations } = load;
    const found = await load.compare();
    return {
      violations: violations.list(),
      figures: [
        { what: "failovers", value: ways.flatMap((way) => takeovers[way]).length, aim: size.failovers },
        { what: "writes acknowledged", value: tally.acknowledged },
        ...loadFigures(tally, found),
        {
          what: "longest request",
          value: tally.longest,
          unit: "ms",
          promised: { atMost: answeredWithinMilliseconds },
        },
        ...ways.flatMap((way) => [
          { what: `primary ${way}`, value: takeovers[way].length },
          {
            what: `primary ${way}: writes again after the promotion, at most`,
            value: percentile(takeovers[way], 1),
            unit: "ms",
            promised: { atMost: writesAgainWithinMilliseconds[way] },
          },
        ]),
      ],
    };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${running?.log() ?? ""}`, { cause: error });
  } finally {
    operator.close();
    await running?.process.stop();
    for (const server of servers) await server.kill();
  }
}

type Takeovers = Record<Way, number[]>;

async function failRepeatedly(
  { seed, goesOn, say }: Chaos,
  size: FailoverSize,
  { first, second, load, port }: { first: Server; second: Server; load: MixedLoad; port: number },
): Promise<Takeovers> {
  const random = randomFrom(seed);
  const takeovers: Takeovers = { killed: [], frozen: [], thawed: [] };
  const health = new Caller(port, overdueMilliseconds);
  let [primary, standby] = [first, second];
  for (let done = 0; goesOn(done >= size.failovers); done++) {
    await sleep(500 + random.below(2000));
    const way = size.ways[done % size.ways.length] as Way;
    if (way === "killed") await primary.kill();
    else await primary.freeze();
    await sleep(random.below(1000));
    const promotedAt = performance.now();
    await standby.promote();
    await eventually("writes succeed", 60_000, () => load.tally.lastWriteAt > promotedAt + 1);
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
