/**
 * The whole partner API against a model of it that was written from the specification: random sequences of requests,
 * some of them sent at once over several connections, each answer held as a whole against what the model says in
 * some order of them.
 */
import fc from "fast-check";
import { type Chaos, none, type Result, Violations } from "../chaos.ts";
import { sequences, type Volley } from "../model/drafts.ts";
import { type Counts, type ModelTarget, Player } from "../model/play.ts";
import { basePath, openDatabaseOf, operatorKey, Service, serviceSecret } from "../service.ts";

export interface ModelSize {
  readonly sequences: number;
  /** How many sequences are played at the same time, each in a business of its own. */
  readonly writers: number;
}

/** Sequences that come from one seed: the seed of a run is that of its first ones, the next is that of the next. */
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
    refusals: 0,
    undecided: 0,
    seen: new Set(),
  };
  const violations = new Violations();
  let seeds = 0;
  const writer = async () => {
    const player = new Player(target, counts);
    const play = (sequence: readonly Volley[]) => player.play(sequence);
    while (goesOn(seeds * sequencesPerSeed >= size.sequences) && violations.count < failuresShown) {
      const own = (seed + seeds) % 2 ** 31;
      seeds += 1;
      const problem = await check(play, own, path);
      if (problem !== undefined) violations.add(problem);
      if (path !== undefined) break;
      if (seeds % 40 === 0)
        say(`${counts.sequences} sequences, ${counts.requests} requests, ${violations.count} failed`);
    }
    player.close();
  };
  await Promise.all(Array.from({ length: path === undefined ? size.writers : 1 }, writer));
  return {
    violations: violations.list(),
    figures: [
      { what: "sequences", value: counts.sequences, aim: path === undefined ? size.sequences : 1 },
      { what: "requests", value: counts.requests },
      { what: "of these refused", value: counts.refusals },
      { what: "of these replayed", value: counts.replays },
      { what: "volleys at once over several connections", value: counts.atOnce },
      { what: "volleys after which more than one order was possible", value: counts.undecided },
      { what: "different outcomes", value: counts.seen.size },
      none("sequences that the model can't explain", violations.count),
    ],
  };
}

/** @returns how a sequence failed, as small as it gets, and how to run it again */
async function check(
  play: (sequence: readonly Volley[]) => Promise<void>,
  seed: number,
  path: string | undefined,
): Promise<string | undefined> {
  const details = await fc.check(fc.asyncProperty(sequences, play), {
    seed,
    numRuns: sequencesPerSeed,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  });
  if (!details.failed) return undefined;
  const error =
    details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  return (
    `again: npm run chaos -- --only model --seed ${details.seed} --path ${details.counterexamplePath}\n` +
    `${JSON.stringify(details.counterexample?.[0])}\n${error}`
  );
}

/** The same, against a service of its own, of two processes on one database. */
export async function modelService(chaos: Chaos, size: ModelSize): Promise<Result> {
  const service = await Service.start(chaos, { workers: 2 });
  const sql = await openDatabaseOf(chaos, service);
  return model(chaos, { port: service.port, basePath, operatorKey, secret: serviceSecret, sql }, size);
}
