/** One partner sends one used key again and again: it gets the same bytes each time, and others notice nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../../bench/report.ts";
import type { Outcome } from "../../test/support/http-connection.ts";
import { type Chaos, milliseconds, none, type Result, Violations } from "../chaos.ts";
import { comparePartners, isReplayOf, Partner } from "../load/partner.ts";
import { longestOf, SteadyCallers } from "../load/steady-callers.ts";
import type { Pair } from "../pair.ts";

export interface ReplayFloodSize {
  readonly replays: number;
  readonly businesses: number;
  readonly callersEach: number;
  /** The flood comes and goes. */
  readonly spellMilliseconds: number;
  /** How much slower others may be beside the flood; by default that is only measured. */
  readonly slowdownAtMost?: number;
}

const everyMilliseconds = 10;

export async function replayFlood(chaos: Chaos, pair: Pair, size: ReplayFloodSize): Promise<Result> {
  const { operator, first } = pair;
  const violations = new Violations();
  const flooding = await Partner.open(chaos, operator, first);
  const others: Partner[] = [];
  for (let count = 0; count < size.businesses; count++) {
    others.push(await Partner.open(chaos, operator, first));
  }
  const contactId = await flooding.member(first, "flooding-member");
  const command = flooding.adjustment("used", contactId, 5);
  const original = await flooding.settle(first, command);
  const callers = await SteadyCallers.start(others, Array(size.callersEach).fill(first));
  /** Sends at a fixed rate, whether or not there are responses. */
  const replays: Promise<Outcome>[] = [];
  const flood = async () => {
    const timer = setInterval(() => replays.push(flooding.send(first, command)), everyMilliseconds);
    await sleep(size.spellMilliseconds);
    clearInterval(timer);
  };
  const rates = { calm: [] as number[], flooded: [] as number[] };
  while (chaos.goesOn(replays.length >= size.replays)) {
    // In turn, because the machine has other work at times.
    for (const kind of ["calm", "flooded"] as const) {
      const [done, startedAt] = [callers.answers.length, performance.now()];
      await (kind === "flooded" ? flood() : sleep(size.spellMilliseconds));
      rates[kind].push((callers.answers.length - done) / ((performance.now() - startedAt) / 1000));
    }
  }
  const outcomes = await Promise.all(replays);
  await callers.stop();
  const amiss = outcomes.filter((outcome) => !isReplayOf(outcome, original));
  for (const outcome of amiss) violations.add(`a replay got ${JSON.stringify(outcome)}`);
  const failed = callers.failed(violations);
  await comparePartners([flooding, ...others], violations, operator);
  const [calm, flooded] = [median(rates.calm), median(rates.flooded)];
  const { slowdownAtMost } = size;
  return {
    violations: violations.list(),
    figures: [
      { what: "replays", value: outcomes.length, aim: size.replays },
      none("replays that were not answered as at first", amiss.length),
      { what: "requests of other businesses a second, without it", value: calm },
      { what: "requests of other businesses a second, beside it", value: flooded },
      {
        what: "others slowed down, times",
        value: calm / flooded,
        ...(slowdownAtMost !== undefined && { promised: { atMost: slowdownAtMost } }),
      },
      milliseconds("their p99", longestOf(callers.answers, 0.99)),
      none("requests of other businesses without success", failed),
    ],
  };
}
