/** Random sequences of requests to the partner API, some at the same time, compared with the model. */
import fc from "fast-check";
import { none, type Result, times } from "../../test/support/runs/report.ts";
import { Violations } from "../../test/support/runs/run.ts";
import { basePath, operatorKey, Service, serviceSecret } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { type Counts, type ModelTarget, Player } from "../model/play.ts";
import { sequences } from "../model/requests.ts";

export interface ModelSize {
  readonly sequences: number;
  /** How many sequences run at the same time, each in a business of its own. */
  readonly writers: number;
}

/** Sequences from one seed. The next ones are from the next seed. */
const sequencesPerSeed = 50;
const failuresShown = 3;

export async function model(
  { seed, path, say, goesOn }: Pick<Chaos, "seed" | "path" | "say" | "goesOn">,
  target: ModelTarget,
  size: ModelSize,
): Promise<Result> {
  const counts: Counts = {
    sequences: 0,
    requests: 0,
    atOnce: 0,
    replays: 0,
    rejections: 0,
    undecided: 0,
    seen: new Set(),
  };
  const violations = new Violations();
  let seeds = 0;
  const writer = async () => {
    const player = new Player(target, counts);
    while (goesOn(seeds * sequencesPerSeed >= size.sequences) && violations.count < failuresShown) {
      const own = (seed + seeds) % 2 ** 31;
      seeds += 1;
      const problem = await check(player, own, path);
      if (problem !== undefined) violations.add(problem);
      if (path !== undefined) break;
      if (seeds % 40 === 0) say(`${counts.sequences} sequences, ${violations.count} failed`);
    }
    player.close();
  };
  await Promise.all(Array.from({ length: path === undefined ? size.writers : 1 }, writer));
  return {
    violations: violations.list(),
    figures: [
      times("sequences", counts.sequences, path === undefined ? size.sequences : 1),
      times("requests", counts.requests),
      times("of these rejected", counts.rejections),
      times("of these replayed", counts.replays),
      times("volleys at once over several connections", counts.atOnce),
      times("volleys after which several orders were possible", counts.undecided),
      times("different outcomes", counts.seen.size),
      none("sequences that the model can't explain", violations.count),
    ],
  };
}

/** @returns a failed sequence, shrunk, and the command that runs it again */
async function check(player: Player, seed: number, path: string | undefined): Promise<string | undefined> {
  const property = fc.asyncProperty(sequences, (sequence) => player.play(sequence));
  const again = path === undefined ? {} : { path, endOnFailure: true };
  const details = await fc.check(property, { seed, numRuns: sequencesPerSeed, ...again });
  if (!details.failed) return undefined;
  const { errorInstance: error, counterexample, counterexamplePath } = details;
  return (
    `again: npm run chaos -- --only model --seed ${details.seed} --path ${counterexamplePath}\n` +
    `${JSON.stringify(counterexample?.[0])}\n${error instanceof Error ? error.message : String(error)}`
  );
}

/** The same with a service of two processes. */
export async function modelService(chaos: Chaos, size: ModelSize): Promise<Result> {
  const service = await Service.start(chaos, { workers: 2 });
  const sql = await service.openDatabase();
  return model(chaos, { port: service.port, basePath, operatorKey, secret: serviceSecret, sql }, size);
}
