/** Kills the service, its database, or both at random moments under load, and starts them again. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { median, milliseconds, type Result, times } from "../../test/support/runs/report.ts";
import { eventually } from "../../test/support/runs/run.ts";
import { Service } from "../../test/support/runs/service.ts";
import { postmasterPid, signal } from "../../test/support/service-process.ts";
import type { Chaos } from "../chaos.ts";
import { type LoadSize, startLoad, underLoad } from "../load/load.ts";

export interface KillsSize extends LoadSize {
  readonly kills: number;
  readonly acknowledgements: number;
  /** The longest time between the recovery and the next kill, unless the machine is slow. */
  readonly calmMilliseconds: number;
}

/** A worker is one of the processes of a service that has several. */
const victims = ["service", "database", "both", "worker", "starting service"] as const;
type Victim = (typeof victims)[number];

const readyWithinMilliseconds = 5000;
/** The longest wait for the acknowledged writes before a kill. */
const shareWithinMilliseconds = 60_000;

export async function kills(chaos: Chaos, size: KillsSize): Promise<Result> {
  const { seed, goesOn } = chaos;
  const service = await Service.start(chaos);
  const load = await startLoad(chaos, service.port, size);
  const random = randomFrom(seed);
  const recoveries: Record<Victim, number[]> = {
    service: [],
    database: [],
    both: [],
    worker: [],
    "starting service": [],
  };
  const order = { what: "kills", times: size.kills, writes: size.acknowledgements };
  const figures = await underLoad(chaos, load, order, async (done) => {
    await sleep(50 + random.below(size.calmMilliseconds));
    // On a slow machine each kill waits for its share of the writes.
    const share = (size.acknowledgements / size.kills) * Math.min(done + 1, size.kills);
    const latest = performance.now() + shareWithinMilliseconds;
    while (load.acknowledged < share && goesOn(false) && performance.now() < latest) await sleep(20);
    const several = (await service.workerPids()).length > 0;
    const victim = random.pick(several ? victims : victims.filter((each) => each !== "worker"));
    const killedAt = await strike(service, victim, random);
    await service.ready();
    recoveries[victim].push(performance.now() - killedAt);
    await load.renewTokens();
  });
  const longest = Math.max(0, ...Object.values(recoveries).flat());
  return {
    violations: load.violations.list(),
    figures: [
      ...figures,
      ...victims.flatMap((victim) => [
        times(`${victim} killed`, recoveries[victim].length),
        milliseconds(`${victim} killed: ready again, median`, median(recoveries[victim])),
      ]),
      milliseconds("ready again after a kill, at most", longest, readyWithinMilliseconds),
    ],
  };
}

/** Kills, and starts again what does not start by itself. @returns when it was killed */
async function strike(service: Service, victim: Victim, random: Random): Promise<number> {
  if (victim === "worker") {
    signal(random.pick(await service.workerPids()), "SIGKILL");
    return performance.now();
  }
  const database = await postmasterPid(service.dataDirectory);
  if (victim === "database") {
    signal(database, "SIGKILL");
    const killedAt = performance.now();
    // Until then the service may not have noticed, and say that it is ready. The file is missing for a moment.
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
