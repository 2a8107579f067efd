/**
 * Kills the service, its database, or both at random moments under a mixed load of several businesses, and starts them
 * again: nothing that was acknowledged may be lost, and nothing done twice.
 */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, postmasterPid } from "../../test/support/service-process.ts";
import { Operator } from "../business.ts";
import { type Chaos, eventually, percentile, type Result } from "../chaos.ts";
import { loadFigures, type MixedLoad, startMixedLoad } from "../load/mixed-load.ts";
import { type Random, randomFrom } from "../random.ts";
import { type RunningService, startService, untilReady, workerPids } from "../service.ts";

export interface KillsSize {
  readonly kills: number;
  readonly acknowledgements: number;
  readonly businesses: number;
  readonly writers: number;
  /** How long the load goes on between being ready and the next kill, at most, unless the machine is slow. */
  readonly calmMilliseconds: number;
}

/** A worker is one of the processes of a service that has several. */
const victims = ["service", "database", "both", "worker", "starting service"] as const;
type Victim = (typeof victims)[number];

const readyWithinMilliseconds = 5000;
const overdueMilliseconds = 20_000;
/** After that a kill comes all the same, and the run shows less. */
const shareWithinMilliseconds = 60_000;

export async function kills(chaos: Chaos, size: KillsSize): Promise<Result> {
  const random = randomFrom(chaos.seed);
  const dataDirectory = join(await mkdtemp(join(chaos.directory, "kills-")), "data");
  const target = new Target(chaos, await freePort(), dataDirectory);
  const operator = new Operator(target.port);
  try {
    await target.start(1);
    const load = await startMixedLoad({
      port: target.port,
      operator,
      businesses: size.businesses,
      writers: size.writers,
      members: 40,
      seed: chaos.seed,
      overdueMilliseconds,
    });
    const recoveries = await killAround(chaos, size, { target, load, random }).finally(() => load.stop());
    const found = await load.compare();
    const all = victims.flatMap((victim) => recoveries[victim]);
    return {
      violations: load.violations.list(),
      figures: [
        { what: "kills", value: all.length, aim: size.kills },
        { what: "writes acknowledged", value: load.tally.acknowledged, aim: size.acknowledgements },
        ...loadFigures(load.tally, found),
        ...victims.flatMap((victim) => [
          { what: `${victim} killed`, value: recoveries[victim].length },
          {
            what: `${victim} killed: ready again, median`,
            value: percentile(recoveries[victim], 0.5),
            unit: "ms",
          },
          {
            what: `${victim} killed: ready again, most`,
            value: percentile(recoveries[victim], 1),
            unit: "ms",
          },
        ]),
        {
          what: "ready again after a kill, at most",
          value: Math.max(0, ...all),
          unit: "ms",
          promised: { atMost: readyWithinMilliseconds },
        },
      ],
    };
  } finally {
    operator.close();
    await target.stop();
  }
}

type Recoveries = Record<Victim, number[]>;

async function killAround(
  { goesOn, say }: Chaos,
  size: KillsSize,
  { target, load, random }: { target: Target; load: MixedLoad; random: Random },
): Promise<Recoveries> {
  const recoveries: Recoveries = {
    service: [],
    database: [],
    both: [],
    worker: [],
    "starting service": [],
  };
  const killed = () => Object.values(recoveries).reduce((sum, { length }) => sum + length, 0);
  while (goesOn(killed() >= size.kills)) {
    await sleep(50 + random.below(size.calmMilliseconds));
    // On a slow machine each kill waits for its share, or there would be ever more kills of ever fewer writes.
    const share = (size.acknowledgements / size.kills) * Math.min(killed() + 1, size.kills);
    const latest = performance.now() + shareWithinMilliseconds;
    while (load.tally.acknowledged < share && goesOn(false) && performance.now() < latest) await sleep(20);
    const victim = await target.pickVictim(random);
    recoveries[victim].push(await target.kill(victim, random));
    await load.renewTokens();
    if (killed() % 20 === 0) {
      say(`${killed()} kills, ${load.tally.acknowledged} acknowledged, ${load.violations.count} violations`);
    }
  }
  return recoveries;
}

/** The service and its embedded database, and how they are killed. */
class Target {
  readonly port: number;
  readonly #chaos: Chaos;
  readonly #dataDirectory: string;
  #service: RunningService | undefined;

  constructor(chaos: Chaos, port: number, dataDirectory: string) {
    this.#chaos = chaos;
    this.port = port;
    this.#dataDirectory = dataDirectory;
  }

  async start(workers: number): Promise<void> {
    this.#launch(workers);
    await untilReady(this.#running);
  }

  async stop(): Promise<void> {
    await this.#service?.process.stop();
  }

  async pickVictim(random: Random): Promise<Victim> {
    const several = (await workerPids(this.#running)).length > 0;
    return random.pick(several ? victims : victims.filter((victim) => victim !== "worker"));
  }

  /** Kills, and starts again what does not start again by itself. @returns milliseconds until all is ready */
  async kill(victim: Victim, random: Random): Promise<number> {
    const killedAt = await this.#strike(victim, random);
    await untilReady(this.#running);
    return performance.now() - killedAt;
  }

  async #strike(victim: Victim, random: Random): Promise<number> {
    if (victim === "worker") {
      const pid = random.pick(await workerPids(this.#running));
      signal(pid);
      return performance.now();
    }
    const database = await postmasterPid(this.#dataDirectory);
    if (victim === "database") {
      signal(database);
      const killedAt = performance.now();
      // Before, the service may not have noticed, and say that it is ready.
      await eventually("a new database", 60_000, async () => (await this.#postmaster()) !== database);
      return killedAt;
    }
    if (victim === "both" && random.chance(0.5)) signal(database);
    let killedAt = await this.#killService();
    if (victim === "both") signal(database);
    const workers = random.pick([1, 2]);
    if (victim === "starting service") {
      this.#launch(workers);
      await sleep(random.below(1000));
      killedAt = await this.#killService();
    }
    this.#launch(workers);
    return killedAt;
  }

  async #killService(): Promise<number> {
    const { process } = this.#running;
    process.kill("SIGKILL");
    const killedAt = performance.now();
    await process.ended();
    return killedAt;
  }

  /** Its file is away for a moment while it starts. */
  #postmaster(): Promise<number | undefined> {
    return postmasterPid(this.#dataDirectory).catch(() => undefined);
  }

  #launch(workers: number): void {
    const settings = { port: this.port, dataDirectory: this.#dataDirectory, workers };
    this.#service = startService(this.#chaos, settings);
  }

  get #running(): RunningService {
    if (this.#service === undefined) throw new Error("the service was not started");
    return this.#service;
  }
}

/** Kills a process that may be gone already. */
function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
