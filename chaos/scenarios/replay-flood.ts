/** One partner sends one used key again and again: it gets the same bytes each time, and others notice nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Chaos, percentile, type Result, Violations } from "../chaos.ts";
import type { HttpAnswer, Outcome } from "../load/caller.ts";
import { compareBooks } from "../load/comparison.ts";
import { Partner } from "../load/partner.ts";
import {
  answersOf,
  isSuccess,
  longestOf,
  type SteadyCaller,
  startSteadyCallers,
  stopAll,
} from "../load/steady-caller.ts";
import type { Pair } from "../pair.ts";

export interface ReplayFloodSize {
  readonly replays: number;
  readonly businesses: number;
  readonly callersEach: number;
  /** How much slower others may be beside the flood; by default that is only measured. */
  readonly slowdownAtMost?: number;
}

const everyMilliseconds = 10;
/** The flood comes and goes. */
const spellMilliseconds = 3000;

export async function replayFlood(chaos: Chaos, pair: Pair, size: ReplayFloodSize): Promise<Result> {
  const { operator, first } = pair;
  const violations = new Violations();
  const flooding = await Partner.open(operator, first);
  const others: Partner[] = [];
  for (let count = 0; count < size.businesses; count++) others.push(await Partner.open(operator, first));
  try {
    const contactId = await flooding.member(first, "flooding-member");
    const command = flooding.adjustment("used", contactId, 5);
    const original = await flooding.settle(first, command);
    const callers: SteadyCaller[] = [];
    for (const partner of others) {
      callers.push(...(await startSteadyCallers(partner, Array(size.callersEach).fill(first))));
    }
    const flood = new Flood(() => flooding.send(first, command));
    const rates = { calm: [] as number[], flooded: [] as number[] };
    while (chaos.goesOn(flood.sent >= size.replays)) {
      // In turn, because the machine has other work at times.
      for (const kind of ["calm", "flooded"] as const) {
        const [done, startedAt] = [answersOf(callers).length, performance.now()];
        if (kind === "flooded") await flood.run();
        else await sleep(spellMilliseconds);
        rates[kind].push((answersOf(callers).length - done) / ((performance.now() - startedAt) / 1000));
      }
    }
    const outcomes = await flood.outcomes();
    await stopAll(callers);
    const answers = answersOf(callers);
    const failed = answers.filter((each) => !isSuccess(each));
    for (const { status } of failed) violations.add(`another business got ${status}`);
    const amiss = outcomes.filter((outcome) => !isReplayOf(outcome, original));
    for (const outcome of amiss) violations.add(`a replay got ${JSON.stringify(outcome)}`);
    for (const { business, books } of [flooding, ...others]) {
      await compareBooks(operator, business, books, violations);
    }
    const none = { promised: { exactly: 0 } };
    return {
      violations: violations.list(),
      figures: [
        { what: "replays", value: outcomes.length, aim: size.replays },
        { what: "replays that were not answered as at first", value: amiss.length, ...none },
        { what: "requests of other businesses a second, without it", value: percentile(rates.calm, 0.5) },
        { what: "requests of other businesses a second, beside it", value: percentile(rates.flooded, 0.5) },
        {
          what: "others slowed down, times",
          value: percentile(rates.calm, 0.5) / percentile(rates.flooded, 0.5),
          ...(size.slowdownAtMost !== undefined && { promised: { atMost: size.slowdownAtMost } }),
        },
        { what: "their p99", value: longestOf(answers, 0.99), unit: "ms" },
        { what: "requests of other businesses without success", value: failed.length, ...none },
      ],
    };
  } finally {
    for (const partner of [flooding, ...others]) partner.close();
  }
}

/** Sends at a fixed rate, whether or not there are responses. */
class Flood {
  readonly #send: () => Promise<Outcome>;
  readonly #sent: Promise<Outcome>[] = [];

  constructor(send: () => Promise<Outcome>) {
    this.#send = send;
  }

  get sent(): number {
    return this.#sent.length;
  }

  /** Sends for one spell. */
  async run(): Promise<void> {
    const timer = setInterval(() => this.#sent.push(this.#send()), everyMilliseconds);
    await sleep(spellMilliseconds);
    clearInterval(timer);
  }

  outcomes(): Promise<Outcome[]> {
    return Promise.all(this.#sent);
  }
}

function isReplayOf(outcome: Outcome, { status, body }: HttpAnswer): boolean {
  return (
    typeof outcome === "object" && outcome.replayed && outcome.status === status && outcome.body === body
  );
}
