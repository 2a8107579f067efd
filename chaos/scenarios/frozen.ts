/**
 * A process that holds ledgers stands still: a whole service, or the PostgreSQL backends of its connections, or
 * transactions of somebody else. Businesses of which it holds no ledger go on as if nothing was; the others are
 * answered, if need be with a request to retry, and go on soon.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomFrom } from "../../test/support/random.ts";
import { signal } from "../../test/support/service-process.ts";
import { type Chaos, milliseconds, none, type Result, Violations } from "../chaos.ts";
import { comparePartners, Partner } from "../load/partner.ts";
import { type Answered, isRetryable, isSuccess, longestOf, SteadyCallers } from "../load/steady-callers.ts";
import type { Pair } from "../pair.ts";

/** What stands still: the first service, the backends of its connections, or two transactions that hold a ledger each. */
const kinds = ["service", "backends", "transactions"] as const;
export type Standstill = (typeof kinds)[number];

export interface FrozenSize {
  /** In turn. */
  readonly kinds: readonly Standstill[];
  readonly standstills: number;
  readonly shortestMilliseconds: number;
  readonly longestMilliseconds: number;
}

const freeAnswerWithinMilliseconds = 2000;
const answerWithinMilliseconds = 20_000;
/** From the moment on which the ledger is free, or could be: the server ends an idle transaction after 2 s. */
const goesOnWithinMilliseconds = 6000;
const calmMilliseconds = 500;
/** Of each caller between two postings: it is not the load that matters. */
const breakMilliseconds = 25;
/** Two may be held; three are not. */
const [sharedBusinesses, freeBusinesses] = [2, 3];

export async function frozen(chaos: Chaos, pair: Pair, size: FrozenSize): Promise<Result> {
  const partners: Partner[] = [];
  for (let count = 0; count < sharedBusinesses + freeBusinesses; count++) {
    partners.push(await Partner.open(chaos, pair.operator, pair.second));
  }
  const scenario = new Standstills(pair, partners, randomFrom(chaos.seed));
  while (chaos.goesOn(scenario.done >= size.standstills)) {
    await scenario.play(size.kinds[scenario.done % size.kinds.length] as Standstill, size);
    chaos.say(`${scenario.done} standstills, ${scenario.violations.count} violations`);
  }
  const { violations, free, goesOnAfter } = scenario;
  const found = await comparePartners(partners, violations, pair.operator);
  const goesOn = Math.max(0, ...goesOnAfter);
  return {
    violations: violations.list(),
    figures: [
      { what: "standstills", value: scenario.done, aim: size.standstills },
      { what: "requests of other businesses meanwhile", value: free.length },
      none("of these without success", free.filter((each) => !isSuccess(each)).length),
      milliseconds("their p99", longestOf(free, 0.99)),
      milliseconds("the longest of them", longestOf(free), freeAnswerWithinMilliseconds),
      milliseconds("held businesses go on after, at most", goesOn, goesOnWithinMilliseconds),
      { what: "requests answered with 503 and Retry-After", value: scenario.retryable },
      ...found.figures(),
    ],
  };
}

/** When something stood still, by performance.now(); from `freeAt` on the held ledgers should be free. */
interface Span {
  readonly from: number;
  readonly freeAt: number;
  readonly to: number;
}

class Standstills {
  readonly violations = new Violations();
  /** Requests, while something stood still, of businesses that it had nothing to do with. */
  readonly free: Answered[] = [];
  /** Milliseconds until a held business went on. */
  readonly goesOnAfter: number[] = [];
  retryable = 0;
  done = 0;
  readonly #pair: Pair;
  readonly #partners: readonly Partner[];
  readonly #random: Random;

  constructor(pair: Pair, partners: readonly Partner[], random: Random) {
    this.#pair = pair;
    this.#partners = partners;
    this.#random = random;
  }

  async play(kind: Standstill, size: FrozenSize): Promise<void> {
    const { first, second } = this.#pair;
    const shared = this.#partners.slice(0, sharedBusinesses);
    const others = this.#partners.slice(sharedBusinesses);
    const onFirst = await SteadyCallers.start(shared, [first, first], breakMilliseconds);
    const onSecond = await SteadyCallers.start(shared, [second, second], breakMilliseconds);
    // A first service that stands still itself could hold any business that it writes to.
    const ports = kind === "transactions" ? [first, first, second, second] : [second, second];
    const free = await SteadyCallers.start(others, ports, breakMilliseconds);
    await sleep(calmMilliseconds);
    const { shortestMilliseconds, longestMilliseconds } = size;
    const milliseconds =
      shortestMilliseconds + this.#random.below(longestMilliseconds - shortestMilliseconds + 1);
    const span = await this.#stand(kind, milliseconds);
    // The frozen part responds again, and all have continued.
    await sleep(goesOnWithinMilliseconds / 2);
    await Promise.all([onFirst.stop(), onSecond.stop(), free.stop()]);
    this.#judgeFree(free, span);
    this.#judgeHeld(onSecond, span);
    // A service that stands still can't answer.
    if (kind !== "service") this.#judgeHeld(onFirst, span);
    this.done += 1;
  }

  #stand(kind: Standstill, milliseconds: number): Promise<Span> {
    if (kind === "transactions") return this.#holdLedgers(milliseconds);
    return kind === "service" ? this.#stopService(milliseconds) : this.#stopBackends(milliseconds);
  }

  /** Transactions that hold a ledger each and do nothing, as those of a process that stands still. */
  async #holdLedgers(milliseconds: number): Promise<Span> {
    const { admin } = this.#pair;
    const holders = this.#partners.slice(0, sharedBusinesses).map(({ business: { businessId } }) =>
      admin.begin(async (tx) => {
        // The connection may be set up like those that record postings.
        await tx`SET LOCAL idle_in_transaction_session_timeout = '60s'`;
        await tx`SET LOCAL lock_timeout = '20s'`;
        await tx`SELECT FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
        const from = performance.now();
        await sleep(milliseconds);
        return from;
      }),
    );
    const from = Math.max(...(await Promise.all(holders)));
    return { from, freeAt: performance.now(), to: performance.now() };
  }

  async #stopService(milliseconds: number): Promise<Span> {
    const { process } = this.#pair.service;
    await this.#stopWhen(
      () => process.kill("SIGSTOP"),
      () => process.kill("SIGCONT"),
      () => this.#holdsLedger(),
    );
    const from = performance.now();
    await sleep(milliseconds);
    process.kill("SIGCONT");
    // The server ends the transaction of a client that is silent.
    return { from, freeAt: from, to: performance.now() };
  }

  /** Stops the backends where they wait for their client: elsewhere they may hold what all of the server waits for. */
  async #stopBackends(milliseconds: number): Promise<Span> {
    let stopped: number[] = [];
    const resume = () => {
      for (const pid of stopped) signal(pid, "SIGCONT");
    };
    await this.#stopWhen(
      () => {
        stopped = this.#backends();
        for (const pid of stopped) signal(pid, "SIGSTOP");
      },
      resume,
      async () => {
        const busy = await this.#pair.admin`
          SELECT FROM pg_stat_activity
          WHERE pid = ANY (${stopped}::int[]) AND wait_event IS DISTINCT FROM 'ClientRead'`;
        return busy.length === 0 && (await this.#holdsLedger());
      },
    );
    const from = performance.now();
    await sleep(milliseconds);
    resume();
    return { from, freeAt: performance.now(), to: performance.now() };
  }

  /** Stops something again and again until it is stopped at a moment at which something holds. */
  async #stopWhen(stop: () => void, resume: () => void, holds: () => Promise<boolean>): Promise<void> {
    for (const deadline = performance.now() + 60_000; performance.now() < deadline; ) {
      stop();
      // What was sent before has arrived by then.
      await sleep(20);
      if (await holds()) return;
      resume();
      await sleep(this.#random.below(20));
    }
    throw new Error("the first process was never found within a transaction");
  }

  #backends(): number[] {
    return this.#pair.proxy.connections().flatMap(({ backendPid }) => backendPid ?? []);
  }

  /** Whether a transaction of the first process has locked a ledger, and waits for its client. */
  async #holdsLedger(): Promise<boolean> {
    const rows = await this.#pair.admin`
      SELECT FROM pg_stat_activity JOIN pg_locks USING (pid)
      WHERE pid = ANY (${this.#backends()}::int[]) AND state = 'idle in transaction'
        AND relation = 'ledger'::regclass AND mode = 'RowShareLock'`;
    return rows.length > 0;
  }

  #judgeFree(callers: SteadyCallers, { from, to }: Span): void {
    const isMeanwhile = ({ sentAt, milliseconds }: Answered) => sentAt + milliseconds > from && sentAt < to;
    this.free.push(...callers.answers.filter(isMeanwhile));
    callers.failed(this.violations);
  }

  #judgeHeld({ ofEach }: SteadyCallers, { freeAt }: Span): void {
    for (const answers of ofEach) {
      for (const answer of answers) {
        if (isRetryable(answer)) this.retryable += 1;
        else if (!isSuccess(answer)) this.violations.add(`a held business got ${answer.status}`);
        if (answer.milliseconds <= answerWithinMilliseconds) continue;
        this.violations.add(`a held business was answered after ${Math.round(answer.milliseconds)} ms`);
      }
      const next = answers.find((each) => isSuccess(each) && each.sentAt + each.milliseconds > freeAt);
      this.goesOnAfter.push(
        next === undefined ? Number.POSITIVE_INFINITY : next.sentAt + next.milliseconds - freeAt,
      );
    }
  }
}
