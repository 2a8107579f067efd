/** A partner sends a used key again and again: it gets the same bytes each time, and does not disturb others. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome } from "../../test/support/http-connection.ts";
import { median, milliseconds, none, type Result, times } from "../../test/support/runs/report.ts";
import type { Chaos } from "../chaos.ts";
import { Load, longestOf, openPartners } from "../load/load.ts";
import { comparePartners, isReplayOf, Partner } from "../load/partner.ts";
import type { Pair } from "../pair.ts";

export interface ReplayFloodSize {
  readonly replays: number;
  readonly businesses: number;
  readonly callersEach: number;
  /** How long the flood lasts, and how long it pauses. */
  readonly periodMilliseconds: number;
  /** How much slower others may become. By default this is only measured. */
  readonly slowdownAtMost?: number;
}

const everyMilliseconds = 10;

export async function replayFlood(chaos: Chaos, pair: Pair, size: ReplayFloodSize): Promise<Result> {
  const { operator, first } = pair;
  const flooding = await Partner.open(chaos, operator, first);
  const partners = await openPartners(chaos, operator, first, size.businesses);
  const contactId = await flooding.member(first, "flooding-member");
  const command = flooding.adjustment("used", contactId, 5);
  const original = await flooding.settle(first, command);
  const { callersEach, slowdownAtMost } = size;
  const shape = { ports: [first], partners, operator, writersEach: callersEach, seed: chaos.seed };
  const load = await Load.start({ ...shape, writes: "credits" });
  const replays: Promise<Outcome>[] = [];
  /** Sends at a fixed rate, also without responses. */
  const flood = async () => {
    const timer = setInterval(() => replays.push(flooding.send(first, command)), everyMilliseconds);
    await sleep(size.periodMilliseconds);
    clearInterval(timer);
  };
  const rates = { calm: [] as number[], flooded: [] as number[] };
  while (chaos.goesOn(replays.length >= size.replays)) {
    // In turn, because the machine has other work at times.
    for (const kind of ["calm", "flooded"] as const) {
      const [done, startedAt] = [load.acknowledged, performance.now()];
      await (kind === "flooded" ? flood() : sleep(size.periodMilliseconds));
      rates[kind].push((load.acknowledged - done) / ((performance.now() - startedAt) / 1000));
    }
  }
  const outcomes = await Promise.all(replays);
  await load.stop();
  const { violations } = load;
  const amiss = outcomes.filter((outcome) => !isReplayOf(outcome, original));
  for (const outcome of amiss) violations.add(`a replay got ${JSON.stringify(outcome)}`);
  const failed = load.failed();
  const compared = await comparePartners([flooding, ...partners], violations, operator);
  const slowdown = times("others became slower, times", median(rates.calm) / median(rates.flooded));
  return {
    violations: violations.list(),
    figures: [
      times("replays", outcomes.length, size.replays),
      none("replays that got another response", amiss.length),
      times("requests of other businesses per second, without the flood", median(rates.calm)),
      slowdownAtMost === undefined ? slowdown : { ...slowdown, promised: { atMost: slowdownAtMost } },
      milliseconds("their 99th percentile", longestOf(load.responses, 0.99)),
      none("requests of other businesses without success", failed),
      ...compared.figures(),
    ],
  };
}
