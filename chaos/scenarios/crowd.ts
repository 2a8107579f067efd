/** Many callers write at once through several processes, without faults. */

import { type Result, times } from "../../test/support/runs/report.ts";
import type { Chaos } from "../chaos.ts";
import { Load, type LoadSize, openPartners, startLoad } from "../load/load.ts";
import type { Pair } from "../pair.ts";

const pollMilliseconds = 50;

export interface MoneySize extends LoadSize {
  readonly movements: number;
  readonly accounts: number;
}

/** Credits and debits of few accounts. @param port of a service with several processes */
export async function money(chaos: Chaos, port: number, size: MoneySize): Promise<Result> {
  const load = await startLoad(chaos, port, size, { members: size.accounts, writes: "money" });
  return finish(chaos, load, size.movements);
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
    operator,
    writersEach: size.callers,
    seed: chaos.seed,
    members: 20,
    writes: "credits",
    creations: size.share,
  });
  const result = await finish(chaos, load, size.writes);
  const others = partners.reduce((sum, { books }) => sum + books.records.member.size, 0);
  return { ...result, figures: [...result.figures, times("members created", others)] };
}

async function finish(chaos: Chaos, load: Load, aim: number): Promise<Result> {
  try {
    while (chaos.goesOn(load.acknowledged >= aim)) {
      await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
  } finally {
    await load.stop();
  }
  const figures = await load.figures(aim);
  return { violations: load.violations.list(), figures };
}
