/** One partner sends one used key again and again: it gets the same bytes each time, and others notice nothing. */
import { type Chaos, eventually, type Result, Violations } from "../chaos.ts";
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
}

const everyMilliseconds = 10;
const calmMilliseconds = 2000;

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
    const earlier = performance.now();
    const done = answersOf(callers).length;
    await new Promise((resolve) => setTimeout(resolve, calmMilliseconds));
    const startedAt = performance.now();
    const before = (answersOf(callers).length - done) / ((startedAt - earlier) / 1000);
    const doneBefore = answersOf(callers).length;
    const outcomes = await flood(chaos, size, () => flooding.send(first, command));
    const seconds = (performance.now() - startedAt) / 1000;
    const beside = (answersOf(callers).length - doneBefore) / seconds;
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
        { what: "replays a second", value: outcomes.length / seconds },
        { what: "replays that were not answered as at first", value: amiss.length, ...none },
        { what: "requests of other businesses a second, before", value: before },
        { what: "requests of other businesses a second, beside it", value: beside },
        { what: "their p99", value: longestOf(answers, 0.99), unit: "ms" },
        { what: "requests of other businesses without success", value: failed.length, ...none },
      ],
    };
  } finally {
    for (const partner of [flooding, ...others]) partner.close();
  }
}

/** Sends at a fixed rate, whether or not there are responses. */
async function flood(
  chaos: Chaos,
  { replays }: ReplayFloodSize,
  send: () => Promise<Outcome>,
): Promise<Outcome[]> {
  const sent: Promise<Outcome>[] = [];
  const timer = setInterval(() => sent.push(send()), everyMilliseconds);
  await eventually("the flood", 3_600_000, () => !chaos.goesOn(sent.length >= replays));
  clearInterval(timer);
  return Promise.all(sent);
}

function isReplayOf(outcome: Outcome, { status, body }: HttpAnswer): boolean {
  return (
    typeof outcome === "object" && outcome.replayed && outcome.status === status && outcome.body === body
  );
}
