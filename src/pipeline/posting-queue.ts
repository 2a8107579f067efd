/**
 * Collects postings into groups, without a timer: those that are ready at the same time form a group, and those that
 * arrive while it is in flight form the next one. A group spans businesses; each of them has at most one group in flight.
 *
 * A ledger that another transaction has locked delays nobody else. Its postings go to another group, which waits for that
 * lock; other businesses whose ledgers were locked go with it, for they were often locked by the same transaction. A
 * business that was waited for in vain is waited for alone from then on.
 */
import { Refusal } from "../contract/errors.ts";
import { codeOf, faultOf } from "../database/faults.ts";
import { lockNotAvailable } from "./group-commit.ts";
import type { PostingCommand, WriteOutcome } from "./posting-group.ts";

export interface PostingQueueSettings {
  /** The most groups in flight at once that wait for no lock. */
  readonly groupsAtOnce: number;
  /** The most groups at once that wait for a lock. */
  readonly waitingGroupsAtOnce: number;
  /** The most postings in a group. */
  readonly groupSize: number;
  /** The most of them of one business. */
  readonly groupSizeOfBusiness: number;
  /** The most businesses in a group; 1 on a database that is sharded by business. */
  readonly businessesInGroup: number;
  /** The most postings in the queue, over all businesses; past it they are rejected. */
  readonly capacity: number;
  /** The most of one business; past it they are rejected. */
  readonly capacityOfBusiness: number;
  /** A posting that has waited longer is rejected, and so are new ones behind it. */
  readonly longestWaitMilliseconds: number;
  /** Rejected postings are told to retry one after the other, this far apart. */
  readonly retryMilliseconds: number;
  /** But not later than this. */
  readonly longestRetryAfterSeconds: number;
}

export interface PostingQueueObserver {
  /** Hears of each group that was committed. */
  batchRecorded(size: number, seconds: number): void;
}

export interface PostingQueue {
  /** @returns why no posting of a business is taken now, or undefined when one is */
  overload(businessId: number): Refusal | undefined;
  /** Posts a command. Resolves after the commit, or with a refusal; rejects when the outcome is unknown. */
  post(command: PostingCommand): Promise<WriteOutcome>;
  /** How many postings wait or are in flight. */
  depth(): number;
}

/** Commits a group; undefined for each command whose ledger another transaction has locked. */
export type CommitGroup = (
  commands: readonly PostingCommand[],
  held: "wait" | "skip",
) => Promise<(WriteOutcome | undefined)[]>;

interface Waiting {
  readonly command: PostingCommand;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** How often a group is tried again after a deadlock, say, or a key that a write used meanwhile. */
const tries = 5;

export function createPostingQueue(
  commit: CommitGroup,
  settings: PostingQueueSettings,
  observer: PostingQueueObserver,
): PostingQueue {
  return new Queue(commit, settings, observer);
}

class Queue implements PostingQueue {
  readonly #commit: CommitGroup;
  readonly #settings: PostingQueueSettings;
  readonly #observer: PostingQueueObserver;
  /** The postings of each business that are not in flight, oldest first. */
  readonly #waiting = new Map<number, Waiting[]>();
  /** Businesses that may be in the next group, in the order in which they became ready. */
  readonly #ready = new Set<number>();
  /** Businesses whose ledger another transaction has locked, in the order in which that was found. */
  readonly #locked = new Set<number>();
  /** Those of them that were waited for in vain. */
  readonly #stuck = new Set<number>();
  readonly #inFlight = new Set<number>();
  #groups = 0;
  #waitingGroups = 0;
  #depth = 0;
  #startsSoon = false;
  /** When the posting of a business that was rejected last may be retried. */
  readonly #retries = new Map<number, number>();

  constructor(commit: CommitGroup, settings: PostingQueueSettings, observer: PostingQueueObserver) {
    this.#commit = commit;
    this.#settings = settings;
    this.#observer = observer;
  }

  depth(): number {
    return this.#depth;
  }

  post(command: PostingCommand): Promise<WriteOutcome> {
    const { businessId } = command;
    const refusal = this.overload(businessId);
    if (refusal !== undefined) return Promise.resolve(refusal);
    this.#depth += 1;
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(businessId) ?? [];
      queue.push({ command, resolve, reject, since: performance.now() });
      this.#waiting.set(businessId, queue);
      if (!this.#inFlight.has(businessId) && !this.#locked.has(businessId)) this.#ready.add(businessId);
      this.#startSoon();
    });
  }

  overload(businessId: number): Refusal | undefined {
    const { capacity, capacityOfBusiness, longestWaitMilliseconds } = this.#settings;
    const queue = this.#waiting.get(businessId);
    const waits = queue?.[0] === undefined ? 0 : performance.now() - queue[0].since;
    const isFull =
      this.#depth >= capacity ||
      (queue?.length ?? 0) >= capacityOfBusiness ||
      waits > longestWaitMilliseconds;
    return isFull ? this.#unavailable(businessId) : undefined;
  }

  /** Retries are spread: all at once they would be rejected again. */
  #unavailable(businessId: number): Refusal {
    const { retryMilliseconds, longestRetryAfterSeconds } = this.#settings;
    const now = performance.now();
    const next = Math.max(this.#retries.get(businessId) ?? 0, now) + retryMilliseconds;
    const retryAt = Math.min(next, now + longestRetryAfterSeconds * 1000);
    this.#retries.set(businessId, retryAt);
    return new Refusal("service_unavailable", {}, Math.ceil((retryAt - now) / 1000));
  }

  /** After the requests that have arrived already are read: they go together. */
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
      void this.#run(this.#take(this.#together()), "wait");
    }
  }

  /** The business that has been locked longest, and those that may go with it. */
  #together(): readonly number[] {
    const [first, ...others] = this.#locked as Iterable<number> as [number, ...number[]];
    if (this.#stuck.has(first)) return [first];
    return [first, ...others.filter((businessId) => !this.#stuck.has(businessId))];
  }

  /** Takes the oldest postings of some businesses, which are in flight from now on. */
  #take(businessIds: Iterable<number>): Waiting[] {
    const { groupSize, groupSizeOfBusiness, businessesInGroup } = this.#settings;
    const group: Waiting[] = [];
    let businesses = 0;
    for (const businessId of businessIds) {
      if (group.length >= groupSize || businesses >= businessesInGroup) break;
      businesses += 1;
      this.#ready.delete(businessId);
      this.#locked.delete(businessId);
      this.#inFlight.add(businessId);
      const queue = this.#waiting.get(businessId) as Waiting[];
      group.push(...queue.splice(0, Math.min(groupSize - group.length, groupSizeOfBusiness)));
      if (queue.length === 0) this.#waiting.delete(businessId);
    }
    return group;
  }

  /** The businesses of a group that has ended may be in the next one, after those that have waited meanwhile. */
  #end(group: readonly Waiting[]): void {
    for (const businessId of new Set(group.map(({ command }) => command.businessId))) {
      this.#inFlight.delete(businessId);
      if (this.#waiting.has(businessId) && !this.#locked.has(businessId)) this.#ready.add(businessId);
    }
    this.#startSoon();
  }

  /**
   * Runs a group. The next one is started before responses are sent: the database works on it meanwhile.
   * @param group of businesses that may be in another group from then on
   */
  async #run(group: readonly Waiting[], held: "wait" | "skip"): Promise<void> {
    const settled: (() => void)[] = [];
    await this.#commitAll(group, held, settled);
    if (held === "skip") this.#groups -= 1;
    else this.#waitingGroups -= 1;
    this.#end(group);
    if (this.#ready.size > 0) {
      this.#start();
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const settle of settled) settle();
  }

  /** @param settled gets what settles each posting that is not put back */
  async #commitAll(group: readonly Waiting[], held: "wait" | "skip", settled: (() => void)[]): Promise<void> {
    const startedAt = performance.now();
    try {
      const outcomes = await this.#tryCommit(group, held);
      this.#observer.batchRecorded(group.length, (performance.now() - startedAt) / 1000);
      const locked = group.filter((_, index) => outcomes[index] === undefined);
      for (const [index, item] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined) settled.push(() => this.#settle(() => item.resolve(outcome)));
      }
      const [first] = group as readonly [Waiting];
      if (held === "wait" && outcomes[0] === undefined) this.#stuck.add(first.command.businessId);
      else this.#stuck.delete(first.command.businessId);
      this.#putBack(locked);
    } catch (error) {
      // A bad command must fail alone, and one whose key a running write holds must not hold up the others. When the
      // database is away, one by one would only take longer.
      const isLocked = codeOf(error) === lockNotAvailable;
      if (group.length > 1 && (isLocked || faultOf(error) === "other")) {
        for (const item of group) await this.#commitAll([item], held, settled);
      } else if (isLocked) this.#putBack(group);
      else for (const item of group) settled.push(() => this.#settle(() => item.reject(error)));
    }
  }

  #settle(settle: () => void): void {
    this.#depth -= 1;
    settle();
  }

  async #tryCommit(group: readonly Waiting[], held: "wait" | "skip") {
    const commands = group.map(({ command }) => command);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#commit(commands, held);
      } catch (error) {
        const fault = faultOf(error);
        if (attempt >= tries || (fault !== "retry" && fault !== "conflict")) throw error;
      }
    }
  }

  /** Puts postings whose ledger is locked in front of their queues, unless they have waited too long. */
  #putBack(group: readonly Waiting[]): void {
    const latest = performance.now() - this.#settings.longestWaitMilliseconds;
    const kept = group.filter(({ since }) => since >= latest);
    for (const item of group) {
      if (item.since < latest) this.#settle(() => item.resolve(this.#unavailable(item.command.businessId)));
    }
    for (const item of kept.toReversed()) {
      const queue = this.#waiting.get(item.command.businessId) ?? [];
      queue.unshift(item);
      this.#waiting.set(item.command.businessId, queue);
    }
    const businessIds = kept.map(({ command }) => command.businessId);
    // One that was waited for in vain comes after those that waited with it.
    for (const businessId of businessIds) if (!this.#stuck.has(businessId)) this.#locked.add(businessId);
    for (const businessId of businessIds) this.#locked.add(businessId);
  }
}
