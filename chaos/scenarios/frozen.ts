/**
 * Something that holds ledgers freezes: a service, the PostgreSQL backends of its connections, or transactions of
 * another program. Businesses whose ledgers are free continue as before. The others get responses in time, possibly
 * `service_unavailable`, and continue soon after the ledger is free.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { milliseconds, none, type Result, times } from "../../test/support/runs/report.ts";
import { Violations } from "../../test/support/runs/run.ts";
import { signal } from "../../test/support/service-process.ts";
import type { Chaos } from "../chaos.ts";
import { type Completed, Load, longestOf, millisecondsOf, openPartners } from "../load/load.ts";
import { comparePartners, type Partner } from "../load/partner.ts";
import type { Pair } from "../pair.ts";

/** What freezes: the first service, the backends of its connections, or two transactions that hold a ledger each. */
export type Freeze = "service" | "backends" | "transactions";

export interface FrozenSize {
  /** In turn. */
  readonly kinds: readonly Freeze[];
  readonly freezes: number;
  readonly shortestMilliseconds: number;
  readonly longestMilliseconds: number;
}

const freeResponseWithinMilliseconds = 2000;
const responseWithinMilliseconds = 20_000;
/** From the moment from which the ledger can be free: the server ends an idle transaction after 2 s. */
const continuesWithinMilliseconds = 6000;
const calmMilliseconds = 500;
/** The pauses of the callers. The amount of load does not matter here. */
const pauseMilliseconds = 100;
/** The ledgers of two businesses may be held. */
const [heldBusinesses, freeBusinesses] = [2, 3];

/** When something was frozen, and from when on the held ledgers should be free. */
interface Frozen {
  readonly from: number;
  readonly freeAt: number;
  readonly to: number;
}

export async function frozen(chaos: Chaos, pair: Pair, size: FrozenSize): Promise<Result> {
  const { first, second, operator } = pair;
  const partners = await openPartners(chaos, operator, second, heldBusinesses + freeBusinesses);
  const [held, others] = [partners.slice(0, heldBusinesses), partners.slice(heldBusinesses)];
  const violations = new Violations();
  const random = randomFrom(chaos.seed);
  const free: Completed[] = [];
  const continuesAfter: number[] = [];
  let [done, retryable, failed] = [0, 0, 0];
  for (; chaos.goesOn(done >= size.freezes); done++) {
    const kind = size.kinds[done % size.kinds.length] as Freeze;
    const start = (of: readonly Partner[], ports: readonly number[]) =>
      Load.start(
        {
          partners: of,
          operator,
          ports,
          writersEach: ports.length,
          seed: done,
          writes: "credits",
          pauseMilliseconds,
        },
        violations,
      );
    const onFirst = await start(held, [first, first]);
    const onSecond = await start(held, [second, second]);
    // A frozen first service may hold the ledger of any business that it writes to.
    const beside = await start(
      others,
      kind === "transactions" ? [first, first, second, second] : [second, second],
    );
    await sleep(calmMilliseconds);
    const { shortestMilliseconds: shortest, longestMilliseconds: longest } = size;
    const time = await freeze(pair, kind, held, shortest + random.below(longest - shortest + 1), random);
    await sleep(continuesWithinMilliseconds / 2);
    await Promise.all([onFirst.stop(), onSecond.stop(), beside.stop()]);
    failed += beside.failed();
    free.push(
      ...beside.responses.filter(({ sentAt, respondedAt }) => respondedAt > time.from && sentAt < time.to),
    );
    // A frozen service can't respond.
    for (const load of kind === "service" ? [onSecond] : [onFirst, onSecond]) {
      retryable += load.responses.filter(({ outcome }) => outcome === "retryable").length;
      continuesAfter.push(...load.responsesOfEach.map((responses) => judgeHeld(responses, time, violations)));
    }
    chaos.say(`${done + 1} times frozen, ${violations.count} violations`);
  }
  const compared = await comparePartners(partners, violations, operator);
  return {
    violations: violations.list(),
    figures: [
      times("times frozen", done, size.freezes),
      times("requests of other businesses meanwhile", free.length),
      none("requests of other businesses without success", failed),
      milliseconds("their 99th percentile", longestOf(free, 0.99)),
      milliseconds("the longest of them", longestOf(free), freeResponseWithinMilliseconds),
      milliseconds(
        "held businesses continue after, at most",
        Math.max(0, ...continuesAfter),
        continuesWithinMilliseconds,
      ),
      times("responses 503 and Retry-After", retryable),
      ...compared.figures(),
    ],
  };
}

/** Checks the responses of a caller whose ledger was held. @returns milliseconds until it continued */
function judgeHeld(responses: readonly Completed[], { freeAt }: Frozen, violations: Violations): number {
  for (const response of responses) {
    const { outcome } = response;
    if (outcome === "rejected" || outcome === "failed") violations.add(`a held business got ${outcome}`);
    if (millisecondsOf(response) <= responseWithinMilliseconds) continue;
    violations.add(`a held business got a response after ${Math.round(millisecondsOf(response))} ms`);
  }
  const next = responses.find(({ outcome, respondedAt }) => outcome === "success" && respondedAt > freeAt);
  return (next?.respondedAt ?? Number.POSITIVE_INFINITY) - freeAt;
}

function freeze(
  pair: Pair,
  kind: Freeze,
  held: readonly Partner[],
  duration: number,
  random: Random,
): Promise<Frozen> {
  if (kind === "transactions") return holdLedgers(pair, held, duration);
  return kind === "service" ? stopService(pair, duration, random) : stopBackends(pair, duration, random);
}

/** Holds each ledger in a transaction that does nothing. */
async function holdLedgers({ admin }: Pair, held: readonly Partner[], duration: number): Promise<Frozen> {
  const holders = held.map(({ business: { businessId } }) =>
    admin.begin(async (tx) => {
      await tx`SET LOCAL idle_in_transaction_session_timeout = '60s'`;
      await tx`SET LOCAL lock_timeout = '20s'`;
      await tx`SELECT FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
      const from = performance.now();
      await sleep(duration);
      return from;
    }),
  );
  const from = Math.max(...(await Promise.all(holders)));
  return { from, freeAt: performance.now(), to: performance.now() };
}

async function stopService(pair: Pair, duration: number, random: Random): Promise<Frozen> {
  const { process } = pair.service;
  const resume = () => process.kill("SIGCONT");
  await stopWhen(
    random,
    () => process.kill("SIGSTOP"),
    resume,
    () => holdsLedger(pair),
  );
  const from = performance.now();
  await sleep(duration);
  resume();
  // The server ends the transaction of a silent client.
  return { from, freeAt: from, to: performance.now() };
}

/** Stops the backends while they wait for their client. Elsewhere they may hold what the whole server waits for. */
async function stopBackends(pair: Pair, duration: number, random: Random): Promise<Frozen> {
  let stopped: number[] = [];
  const stop = () => {
    stopped = backendsOf(pair);
    for (const pid of stopped) signal(pid, "SIGSTOP");
  };
  const resume = () => {
    for (const pid of stopped) signal(pid, "SIGCONT");
  };
  await stopWhen(random, stop, resume, async () => {
    const busy = await pair.admin`
      SELECT FROM pg_stat_activity
      WHERE pid = ANY (${stopped}::int[]) AND wait_event IS DISTINCT FROM 'ClientRead'`;
    return busy.length === 0 && (await holdsLedger(pair));
  });
  const from = performance.now();
  await sleep(duration);
  resume();
  return { from, freeAt: performance.now(), to: performance.now() };
}

/** Stops something at random moments, until it is in the state that `holds` checks. */
async function stopWhen(
  random: Random,
  stop: () => void,
  resume: () => void,
  holds: () => Promise<boolean>,
): Promise<void> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; ) {
    stop();
    // What was sent before has arrived by then.
    await sleep(20);
    if (await holds()) return;
    resume();
    await sleep(random.below(20));
  }
  throw new Error("the first process was never in a transaction");
}

function backendsOf({ proxy }: Pair): number[] {
  return proxy.connections().flatMap(({ backendPid }) => backendPid ?? []);
}

/** Whether a transaction of the first process has locked a ledger, and waits for its client. */
async function holdsLedger(pair: Pair): Promise<boolean> {
  const rows = await pair.admin`
    SELECT FROM pg_stat_activity JOIN pg_locks USING (pid)
    WHERE pid = ANY (${backendsOf(pair)}::int[]) AND state = 'idle in transaction'
      AND relation = 'ledger'::regclass AND mode = 'RowShareLock'`;
  return rows.length > 0;
}
