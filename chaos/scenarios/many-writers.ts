/**
 * Many callers write through two processes at once, nearly all of them postings, some of them other writes: whatever
 * was acknowledged is there. A driver that lets transactions share a connection loses some.
 */
import { randomFrom } from "../../test/support/random.ts";
import { type Chaos, type Result, Violations } from "../chaos.ts";
import { Partner } from "../load/partner.ts";
import type { Pair } from "../pair.ts";

export interface ManyWritersSize {
  readonly writes: number;
  readonly callers: number;
  /** How many of all writes are no postings. */
  readonly share: number;
}

export async function manyWriters(chaos: Chaos, pair: Pair, size: ManyWritersSize): Promise<Result> {
  const { operator, first, second } = pair;
  const violations = new Violations();
  const partner = await Partner.open(chaos, operator, first);
  const members: number[] = [];
  for (let nth = 0; nth < 20; nth++) members.push(await partner.member(first, `writer-member-${nth}`));
  const random = randomFrom(chaos.seed);
  let written = 0;
  const work = async (port: number) => {
    while (chaos.goesOn(written >= size.writes)) {
      written += 1;
      const key = `write-${written}`;
      const command = random.chance(size.share)
        ? partner.creation(key)
        : partner.adjustment(key, random.pick(members), 1 + random.below(100));
      const answer = await partner.settle(port, command);
      if (answer.status >= 300) violations.add(`${key} was refused with ${answer.body}`);
    }
  };
  await Promise.all(Array.from({ length: size.callers }, (_, nth) => work(nth % 2 === 0 ? first : second)));
  const found = await partner.compare(violations);
  return {
    violations: violations.list(),
    figures: [
      { what: "writes acknowledged", value: written, aim: size.writes },
      { what: "of these no postings", value: partner.books.records.member.size },
      ...found.figures(),
    ],
  };
}
