/**
 * Collects postings into groups, without a timer: those that are ready at the same time form a group, and those that
 * arrive while it is in flight form the next one. A group spans businesses. A process has at most one group of a business
 * in flight.
 *
 * A ledger that another transaction has locked delays no other business. Its postings go to a waiting group, which waits for
 * the lock of its first business. The group also takes other businesses whose ledgers were locked, because one transaction
 * often locks several ledgers; it locks those that are free by then. If the wait times out, the first business waits in a
 * group of its own from then on.
 */
import { Refusal } from "../contract/errors.ts";
import { codeOf, faultOf } from "../database/faults.ts";
import { lockNotAvailable } from "./group-commit.ts";
import type { Outcome, PostingCommand } from "./posting-group.ts";

export interface PostingQueueSettings {
  /** The most groups in flight at once that wait for no lock. */
  readonly groupsAtOnce: number;
  /** The most groups at once that wait for a lock. */
  readonly waitingGroupsAtOnce: number;
  /** The most postings in a group. */
  readonly groupSize: number;
  /** The most postings of one business in a group. */
  readonly groupSizeOfBusiness: number;
  /** The most businesses in a group; 1 on a database that is sharded by business. */
  readonly businessesInGroup: number;
  /** The most postings in the queue, over all businesses; past it they are rejected. */
  readonly capacity: number;
  /** The most of one business; past it they are rejected. */
  readonly capacityOfBusiness: number;
  /** A posting that has waited longer is rejected, and so are new ones behind it. */
  readonly longestWaitMilliseconds: number;
  /** How far apart the times are at which rejected postings may be retried. */
  readonly retryMilliseconds: number;
  /** But not later than this. */
  readonly longestRetryAfterSeconds: number;
}

/** Is called after each commit with the number of postings, and the seconds that it took. */
export type OnCommitted = (size: number, seconds: number) => void;

/** Commits a group; undefined for each command whose ledger another transaction has locked. */
export type CommitGroup = (
  commands: readonly PostingCommand[],
  whenLocked: "wait" | "skip",
) => Promise<(Outcome | undefined)[]>;

/** The result of a posting; undefined when it was put back into the queue. */
type Result = Outcome | { readonly error: unknown } | undefined;

interface Waiting {
  readonly command: PostingCommand;
  readonly queue: BusinessQueue;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** The postings of one business. */
interface BusinessQueue {
  /** Those that are not in flight, oldest first. */
  waiting: Waiting[];
  inFlight: boolean;
  /** Another transaction has locked the ledger, and the wait for it has timed out. */
  stuck: boolean;
  /** When the posting that was rejected last may be retried. */
  retryAt: number;
}

/** How often a group is tried, for example after a deadlock or a key that a write used meanwhile. */
const tries = 5;

export class PostingQueue {
  readonly #commit: CommitGroup;
  readonly #settings: PostingQueueSettings;
  readonly #onCommitted: OnCommitted;
  /** By business. */
  readonly #queues = new Map<number, BusinessQueue>();
  /** Those that may be in the next group, in the order in which they became ready. */
  readonly #ready = new Set<BusinessQueue>();
  /** Those whose ledger another transaction has locked, in the order in which that was found. */
  readonly #locked = new Set<BusinessQueue>();
  #groups = 0;
  #waitingGroups = 0;
  #depth = 0;
  #startsSoon = false;

  constructor(commit: CommitGroup, settings: PostingQueueSettings, onCommitted: OnCommitted) {
    this.#commit = commit;
    this.#settings = settings;
    this.#onCommitted = onCommitted;
  }

  /** How many postings wait or are in flight. */
  depth(): number {
    return this.#depth;
  }

  /** Posts a command. Resolves after the commit, or with a refusal; rejects when the outcome is unknown. */
  post(command: PostingCommand): Promise<Outcome> {
    const refusal = this.overload(command.businessId);
    if (refusal !== undefined) return Promise.resolve(refusal);
    this.#depth += 1;
    return new Promise((resolve, reject) => {
      const queue = this.#queueOf(command.businessId);
      queue.waiting.push({ command, queue, resolve, reject, since: performance.now() });
      if (!queue.inFlight && !this.#locked.has(queue)) this.#ready.add(queue);
      this.#startSoon();
    });
  }

  /** @returns why no posting of a business is taken now, or undefined when one is */
  overload(businessId: number): Refusal | undefined {
    const { capacity, capacityOfBusiness, longestWaitMilliseconds } = this.#settings;
    const queue = this.#queueOf(businessId);
    const [oldest] = queue.waiting;
    const isFull =
      this.#depth >= capacity ||
      queue.waiting.length >= capacityOfBusiness ||
      (oldest !== undefined && performance.now() - oldest.since > longestWaitMilliseconds);
    return isFull ? this.#unavailable(queue) : undefined;
  }

  #queueOf(businessId: number): BusinessQueue {
    let queue = this.#queues.get(businessId);
    if (queue === undefined) {
      queue = { waiting: [], inFlight: false, stuck: false, retryAt: 0 };
      this.#queues.set(businessId, queue);
    }
    return queue;
  }

  /** Spreads retries, because all at once they would be rejected again. */
  #unavailable(queue: BusinessQueue): Refusal {
    const { retryMilliseconds, longestRetryAfterSeconds } = this.#settings;
    const now = performance.now();
    const next = Math.max(queue.retryAt, now) + retryMilliseconds;
    queue.retryAt = Math.min(next, now + longestRetryAfterSeconds * 1000);
    return new Refusal("service_unavailable", {}, Math.ceil((queue.retryAt - now) / 1000));
  }

  /** Starts groups once the requests that have already arrived are read, so that they go together. */
  #startSoon(): void {
    if (this.#startsSoon) return;
    this.#startsSoon = true;
    setImmediate(() => {
      this.#startsSoon = false;
      this.#start();
    });
  }

  #start(): void {
    const { groupsAtOnce, waitingGroupsAtOnce } = this.#settings;
    while (this.#groups < groupsAtOnce && this.#ready.size > 0) {
      this.#groups += 1;
      void this.#run(this.#take(this.#ready), "skip");
    }
    while (this.#waitingGroups < waitingGroupsAtOnce && this.#locked.size > 0) {
      this.#waitingGroups += 1;
      void this.#run(this.#take(this.#nextLocked()), "wait");
    }
  }

  /** The business that has been locked longest, and those that go with it. One that stays locked goes alone. */
  #nextLocked(): readonly BusinessQueue[] {
    const others = [...this.#locked].filter(({ stuck }) => !stuck);
    const [first] = this.#locked as Iterable<BusinessQueue> as [BusinessQueue];
    // One place is kept for businesses whose wait has not timed out.
    const { waitingGroupsAtOnce } = this.#settings;
    const isLastPlace = waitingGroupsAtOnce > 1 && this.#waitingGroups === waitingGroupsAtOnce;
    if (first.stuck && !(isLastPlace && others.length > 0)) return [first];
    return others;
  }

  /** Takes the oldest postings of some businesses, which are in flight from now on. */
  #take(queues: Iterable<BusinessQueue>): Waiting[] {
    const { groupSize, groupSizeOfBusiness, businessesInGroup } = this.#settings;
    const group: Waiting[] = [];
    let businesses = 0;
    for (const queue of queues) {
      if (group.length >= groupSize || businesses >= businessesInGroup) break;
      businesses += 1;
      this.#ready.delete(queue);
      this.#locked.delete(queue);
      queue.inFlight = true;
      group.push(...queue.waiting.splice(0, Math.min(groupSize - group.length, groupSizeOfBusiness)));
    }
    return group;
  }

  /** Runs a group. The next one is started before responses are sent: the database works on it meanwhile. */
  async #run(group: readonly Waiting[], whenLocked: "wait" | "skip"): Promise<void> {
    let results: readonly Result[] = [];
    try {
      results = await this.#tryCommit(group, whenLocked);
      const locked = group.filter((_, index) => results[index] === undefined);
      this.#putBack(locked, whenLocked === "wait" && results[0] === undefined);
    } catch (error) {
      // When the database is unavailable, running them one by one would only take longer.
      const isAway = faultOf(error) === "unavailable" && codeOf(error) !== lockNotAvailable;
      if (isAway) results = group.map(() => ({ error }));
      else await this.#runSingly(group);
    }
    if (whenLocked === "skip") this.#groups -= 1;
    else this.#waitingGroups -= 1;
    // Businesses of this group come after those that have waited meanwhile.
    for (const queue of queuesOf(group)) {
      queue.inFlight = false;
      if (queue.waiting.length > 0 && !this.#locked.has(queue)) this.#ready.add(queue);
    }
    this.#startSoon();
    if (this.#ready.size > 0) {
      this.#start();
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const [index, item] of group.entries()) this.#respond(item, results[index]);
  }

  async #tryCommit(group: readonly Waiting[], whenLocked: "wait" | "skip") {
    const commands = group.map(({ command }) => command);
    const startedAt = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await this.#commit(commands, whenLocked);
        const size = outcomes.filter((outcome) => outcome !== undefined).length;
        if (size > 0) this.#onCommitted(size, (performance.now() - startedAt) / 1000);
        return outcomes;
      } catch (error) {
        const fault = faultOf(error);
        if (attempt >= tries || (fault !== "retry" && fault !== "conflict")) throw error;
      }
    }
  }

  /** Responds to a posting, unless it was put back. */
  #respond({ queue, resolve, reject }: Waiting, result: Result): void {
    if (result === undefined) return;
    this.#depth -= 1;
    if ("error" in result) reject(result.error);
    else {
      if (!this.#locked.has(queue)) queue.stuck = false;
      resolve(result);
    }
  }

  /**
   * Runs the postings of a group that failed as a whole one by one, so that only the bad one fails. One that meets a lock,
   * of its ledger or of a key that a running write has claimed, is put back with those of its business behind it.
   */
  async #runSingly(group: readonly Waiting[]): Promise<void> {
    const locked = new Set<BusinessQueue>();
    const back: Waiting[] = [];
    for (const item of group) {
      if (!locked.has(item.queue)) {
        try {
          const [outcome] = await this.#tryCommit([item], "skip");
          if (outcome === undefined) locked.add(item.queue);
          this.#respond(item, outcome);
        } catch (error) {
          if (codeOf(error) === lockNotAvailable) locked.add(item.queue);
          else this.#respond(item, { error });
        }
      }
      if (locked.has(item.queue)) back.push(item);
    }
    for (const queue of locked) queue.stuck = true;
    this.#putBack(back, false);
  }

  /**
   * Puts postings whose ledger is locked in front of their queues, and rejects those that have waited too long.
   * @param timedOut whether the wait for the first business timed out; the others were not tried, so they are ready again
   */
  #putBack(group: readonly Waiting[], timedOut: boolean): void {
    for (const item of group.toReversed()) item.queue.waiting.unshift(item);
    const oldest = performance.now() - this.#settings.longestWaitMilliseconds;
    const [first] = group;
    for (const queue of queuesOf(group)) {
      const overdue = queue.waiting.filter(({ since }) => since < oldest);
      queue.waiting = queue.waiting.filter(({ since }) => since >= oldest);
      for (const item of overdue) this.#respond(item, this.#unavailable(queue));
      if (queue.waiting.length === 0) continue;
      if (!timedOut || queue === first?.queue) this.#locked.add(queue);
      if (timedOut && queue === first?.queue) queue.stuck = true;
    }
  }
}

function queuesOf(group: readonly Waiting[]): Set<BusinessQueue> {
  return new Set(group.map(({ queue }) => queue));
}
