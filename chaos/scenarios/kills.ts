/**
 * Kills the service, its database, or both at random moments under a mixed load of several businesses, and starts them
 * again: nothing that was acknowledged may be lost, and nothing done twice.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../../bench/report.ts";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { postmasterPid, signal } from "../../test/support/service-process.ts";
import { type Chaos, eventually, milliseconds, type Result } from "../chaos.ts";
import { type LoadSize, MixedLoad } from "../load/mixed-load.ts";
import { Operator } from "../operator.ts";
import { Service } from "../service.ts";

export interface KillsSize extends LoadSize {
  readonly kills: number;
  readonly acknowledgements: number;
  /** How long the load goes on between being ready and the next kill, at most, unless the machine is slow. */
  readonly calmMilliseconds: number;
}

/** A worker is one of the processes of a service that has several. */
const victims = ["service", "database", "both", "worker", "starting service"] as const;
type Victim = (typeof victims)[number];
/** For each kill, the milliseconds until all was ready again. */
type Recoveries = Record<Victim, number[]>;

const readyWithinMilliseconds = 5000;
/** After that a kill comes all the same, and the run shows less. */
const shareWithinMilliseconds = 60_000;

export async function kills(chaos: Chaos, size: KillsSize): Promise<Result> {
  const service = await Service.start(chaos);
  const load = await MixedLoad.start(chaos, new Operator(chaos, service.port), service.port, size);
  const random = randomFrom(chaos.seed);
  const recoveries = await killAround(chaos, size, service, load, random).finally(() => load.stop());
  const all = Object.values(recoveries).flat();
  const figures = [
    { what: "kills", value: all.length, aim: size.kills },
    ...(await load.figures(size.acknowledgements)),
    ...victims.flatMap((victim) => [
      { what: `${victim} killed`, value: recoveries[victim].length },
      milliseconds(`${victim} killed: ready again, median`, median(recoveries[victim])),
      milliseconds(`${victim} killed: ready again, most`, Math.max(0, ...recoveries[victim])),
    ]),
    milliseconds("ready again after a kill, at most", Math.max(0, ...all), readyWithinMilliseconds),
  ];
  return { violations: load.violations.list(), figures };
}

async function killAround(
  { goesOn, say }: Chaos,
  size: KillsSize,
  service: Service,
  load: MixedLoad,
  random: Random,
): Promise<Recoveries> {
  const recoveries = Object.fromEntries(victims.map((victim) => [victim, [] as number[]])) as Recoveries;
  const killed = () => Object.values(recoveries).flat().length;
  while (goesOn(killed() >= size.kills)) {
    await sleep(50 + random.below(size.calmMilliseconds));
    // On a slow machine each kill waits for its share, or there would be ever more kills of ever fewer writes.
    const share = (size.acknowledgements / size.kills) * Math.min(killed() + 1, size.kills);
    const latest = performance.now() + shareWithinMilliseconds;
    while (load.tally.acknowledged < share && goesOn(false) && performance.now() < latest) await sleep(20);
    const several = (await service.workerPids()).length > 0;
    const victim = random.pick(several ? victims : victims.filter((each) => each !== "worker"));
    const killedAt = await strike(service, victim, random);
    await service.ready();
    recoveries[victim].push(performance.now() - killedAt);
    await load.renewTokens();
    if (killed() % 20 === 0) {
      say(`${killed()} kills, ${load.tally.acknowledged} acknowledged, ${load.violations.count} violations`);
    }
  }
  return recoveries;
}

/** Kills, and starts again what does not start again by itself. @returns when it was killed */
async function strike(service: Service, victim: Victim, random: Random): Promise<number> {
  if (victim === "worker") {
    signal(random.pick(await service.workerPids()), "SIGKILL");
    return performance.now();
  }
  const database = await postmasterPid(service.dataDirectory);
  if (victim === "database") {
    signal(database, "SIGKILL");
    const killedAt = performance.now();
    // Before, the service may not have noticed, and say that it is ready. The file is away for a moment.
    await eventually("a new database", 60_000, async () => {
      return (await postmasterPid(service.dataDirectory).catch(() => 0)) !== database;
    });
    return killedAt;
  }
  if (victim === "both" && random.chance(0.5)) signal(database, "SIGKILL");
  let killedAt = await service.kill();
  if (victim === "both") signal(database, "SIGKILL");
  const workers = random.pick([1, 2]);
  if (victim === "starting service") {
    service.launch(workers);
    await sleep(random.below(1000));
    killedAt = await service.kill();
  }
  service.launch(workers);
  return killedAt;
}
