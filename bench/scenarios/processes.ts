/**
 * Two services on two ports and one database, as real deployments run them, against one of them with the same number
 * of connections.
 */
import {
  adjusting,
  checkLedgers,
  compiledAfterSeconds,
  fillBusiness,
  fillBusinesses,
  inTurn,
  measure,
  type Scenario,
  startOnNewDatabase,
} from "../bench.ts";
import { callerOf } from "../business.ts";
import type { LoadResult } from "../load/generator.ts";
import type { Caller } from "../load/traffic.ts";
import { type Figure, median } from "../report.ts";
import { type BenchService, startService } from "../service.ts";

const database = "processes";
const connectionCounts = [64, 256];
const businesses = 32;
const membersOfEach = 1000;

/** A load that one process and two are compared under. */
interface Compared {
  readonly name: string;
  readonly callers: readonly Caller[];
  readonly connections: number;
  readonly atLeast: number;
  readonly rounds: { readonly one: LoadResult; readonly two: LoadResult }[];
}

export const processes: Scenario = async (bench) => {
  const services: BenchService[] = [await startOnNewDatabase(bench, database)];
  try {
    services.push(await startService({ server: bench.server, database }));
    const [first] = services as [BenchService];
    const business = await fillBusiness(bench, database, { members: 10_000, entries: 0 });
    const many = await fillBusinesses(bench, database, { businesses, members: membersOfEach });
    const callersOfMany = await Promise.all(many.map((each) => callerOf(first, each, each)));
    const callers = [await callerOf(first, business, business)];
    const compared = connectionCounts.flatMap((connections): Compared[] => [
      { name: "one business", callers, connections, atLeast: 0.9, rounds: [] },
      { name: `${businesses} businesses`, callers: callersOfMany, connections, atLeast: 1, rounds: [] },
    ]);
    const run = (of: readonly BenchService[], { connections, callers }: Compared, seconds?: number) =>
      measure(bench, of, adjusting(...callers), { connections, ...(seconds !== undefined && { seconds }) });
    for (const load of compared.slice(0, 2)) await run(services, load, compiledAfterSeconds);
    for (let round = 0; round < bench.options.rounds; round++) {
      for (const load of compared) {
        const [one, two] = await inTurn(
          round,
          () => run([first], load),
          () => run(services, load),
        );
        load.rounds.push({ one, two });
        const rates = `${Math.round(one.perSecond)} and ${Math.round(two.perSecond)} a second`;
        bench.say(`${load.name}, ${load.connections} connections: one and two processes ${rates}`);
      }
    }
    await checkLedgers(bench, database, [business, ...many]);
    return compared.flatMap(figuresOf);
  } finally {
    for (const service of services) await service.stop();
  }
};

function figuresOf({ name, connections, atLeast, rounds }: Compared): Figure[] {
  const where = `${name}, ${connections} connections`;
  return [
    { what: `one process, ${where}`, value: median(rounds.map(({ one }) => one.perSecond)), unit: "/s" },
    {
      what: `two processes, ${where}`,
      value: median(rounds.map(({ two }) => two.perSecond)),
      unit: "/s",
      against: "one process",
      ratio: median(rounds.map(({ one, two }) => two.perSecond / one.perSecond)),
      target: { atLeast },
      details: { rounds },
    },
  ];
}
