/** Many callers write at once through several processes, without faults. */
import type { Chaos } from "../chaos.ts";
import { Load, type LoadSize, openPartners, startLoad } from "../load/load.ts";
import { Operator } from "../operator.ts";
import type { Pair } from "../pair.ts";
import { type Result, times } from "../report.ts";

const pollMilliseconds = 50;

export interface MoneySize extends LoadSize {
  readonly movements: number;
  readonly accounts: number;
}

/** Credits and debits of few accounts. @param port of a service with several processes */
export async function money(chaos: Chaos, port: number, size: MoneySize): Promise<Result> {
  const operator = new Operator(chaos, port);
  const load = await startLoad(chaos, operator, port, size, { members: size.accounts, writes: "money" });
  return finish(chaos, load, operator, size.movements);
}

export interface ManyWritersSize {
  readonly writes: number;
  readonly callers: number;
  /** The share of writes that are no postings. */
  readonly share: number;
}

/** Postings and a few other writes, through two services. A driver whose transactions share a connection loses some. */
export async function manyWriters(chaos: Chaos, pair: Pair, size: ManyWritersSize): Promise<Result> {
  const { operator, first, second } = pair;
  const partners = await openPartners(chaos, operator, first, 1);
  const load = await Load.start({
    ports: [first, second],
    partners,
    writersEach: size.callers,
    seed: chaos.seed,
    members: 20,
    writes: "credits",
    creations: size.share,
  });
  const result = await finish(chaos, load, operator, size.writes);
  const others = partners.reduce((sum, { books }) => sum + books.records.member.size, 0);
  return { ...result, figures: [...result.figures, times("members created", others)] };
}

async function finish(chaos: Chaos, load: Load, operator: Operator, aim: number): Promise<Result> {
  try {
    while (chaos.goesOn(load.acknowledged >= aim)) {
      await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
  } finally {
    await load.stop();
  }
  const figures = await load.figures(operator, aim);
  return { violations: load.violations.list(), figures };
}
