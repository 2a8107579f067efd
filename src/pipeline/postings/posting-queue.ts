/**
 * Collects postings into groups. Postings that are ready at the same time form a group. Postings that arrive while it is in
 * flight form the next one. A group can have postings of several businesses. A process has at most one group of a business in
 * flight.
 *
 * If a group fails, its halves run one after the other, so that a bad posting fails alone. Retries of it, and other postings of the
 * same operation and member, are suspects for a minute. A suspect runs alone, and each business has at most ten in a second.
 *
 * If another transaction has locked a ledger, the postings of its business move to a waiting group, so that other businesses
 * don't wait. A waiting group waits for the ledger of its first business. It also takes the other businesses whose ledgers were
 * locked, because one transaction often locks several ledgers, and locks the ones that are free after the wait. If the wait
 * times out, its first business comes after the other locked ones.
 */
import { LRUCache } from "lru-cache";
import { type Rejection, reject } from "../../contract/errors.ts";
import { codeOf, faultOf, isTransient } from "../../database/faults.ts";
import { lockNotAvailable } from "./group-commit.ts";
import { joined } from "./group-member.ts";
import type { GroupOutcome, PostingCommand } from "./group-state.ts";
import type { Outcome } from "./outcome.ts";

const usualSettings = {
  /** The most groups in flight at once that wait for no lock. */
  groupsAtOnce: 1,
  /** The most groups at once that wait for a lock. */
  waitingGroupsAtOnce: 1,
  /** The most postings in a group, and of one business in a group. */
  groupSize: 256,
  groupSizeOfBusiness: 128,
  /** The most postings in the queue: of all businesses together, and of one. More are rejected. */
  capacity: 10_000,
  /** A small machine records this many in a few seconds. */
  capacityOfBusiness: 3000,
  /** A posting that has waited longer is rejected, and so are new ones behind it. */
  longestWaitMilliseconds: 5000,
  /** The suspects of a business start this far apart. */
  suspectsApartMilliseconds: 100,
  /** Rejected postings get Retry-After times this far apart, up to the longest. */
  retryMilliseconds: 1,
  longestRetryAfterSeconds: 30,
};

export type PostingQueueSettings = Readonly<typeof usualSettings>;

/** How many postings wait or are in flight. The queue counts them, and webhooks give way to them. */
export interface Backlog {
  postings: number;
}

/** Called after each commit with the number of postings, and the seconds that it took. */
export type OnCommitted = (size: number, seconds: number) => void;

export type CommitGroup = (
  commands: readonly PostingCommand[],
  whenLocked: "wait" | "skip",
) => Promise<readonly GroupOutcome[]>;

interface Waiting {
  readonly command: PostingCommand;
  readonly queue: BusinessQueue;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  /** Monotonic milliseconds. */
  readonly since: number;
  /** The most postings of its group, with itself. Postings of a failed group form smaller ones. */
  most: number;
}

interface BusinessQueue {
  /** The postings that are not in flight, oldest first. */
  waiting: Waiting[];
  inFlight: boolean;
  /** The suspects that wait for their turn, and whether one has started a short time ago. */
  readonly suspects: Waiting[];
  suspectStarted: boolean;
  /** When the posting that was rejected last may be retried. */
  retryAt: number;
}

/**
 * How often a group is tried. A commit is repeated after a deadlock, for example. After a conflict, such as when a write has used
 * one of the keys meanwhile, the second attempt reads the cause.
 */
const maximumAttempts = { retry: 5, conflict: 2, unavailable: 1, other: 1 };

const nameOf = ({ businessId, contactId, operation }: PostingCommand) =>
  joined(businessId, contactId, operation.path);

export class PostingQueue {
  readonly #commit: CommitGroup;
  readonly #settings: PostingQueueSettings;
  readonly #onCommitted: OnCommitted;
  /** By business. */
  readonly #queues = new Map<number, BusinessQueue>();
  /** The queues with postings for the next group. The one that has been ready longest is first. */
  readonly #ready = new Set<BusinessQueue>();
  /** The queues whose ledger another transaction has locked, in the order in which groups wait for them. */
  readonly #locked = new Set<BusinessQueue>();
  /** The names of the postings that failed alone lately. Others like them are suspects. */
  readonly #failed = new LRUCache<string, true>({ max: 1000, ttl: 60_000 });
  /** How many groups are in flight, by what they do about a locked ledger. */
  readonly #groups = { skip: 0, wait: 0 };
  readonly #backlog: Backlog;
  #startsSoon = false;

  constructor(
    commit: CommitGroup,
    settings: Partial<PostingQueueSettings>,
    onCommitted: OnCommitted,
    backlog: Backlog = { postings: 0 },
  ) {
    this.#commit = commit;
    this.#backlog = backlog;
    this.#settings = { ...usualSettings, ...settings };
    this.#onCommitted = onCommitted;
  }

  /** How many postings wait or are in flight. */
  depth(): number {
    return this.#backlog.postings;
  }

  /** Posts a command. Resolves after the commit, or with a rejection. Rejects when the outcome is unknown. */
  post(command: PostingCommand): Promise<Outcome> {
    const { suspectsApartMilliseconds, longestWaitMilliseconds } = this.#settings;
    const queue = this.#queueOf(command.businessId);
    const isSuspect = this.#failed.has(nameOf(command));
    const isTooMuch =
      isSuspect && queue.suspects.length * suspectsApartMilliseconds > longestWaitMilliseconds;
    // It is checked before the body is read, too. The queue may have filled up since.
    const rejection = isTooMuch ? this.#unavailable(queue) : this.overload(command.businessId);
    if (rejection !== undefined) return Promise.resolve(rejection);
    this.#backlog.postings += 1;
    return new Promise((resolve, reject) => {
      const item = {
        command,
        queue,
        resolve,
        reject,
        since: performance.now(),
        most: this.#settings.groupSize,
      };
      if (isSuspect) {
        queue.suspects.push(item);
        this.#nextSuspect(queue);
      } else this.#add(queue, item);
    });
  }

  #add(queue: BusinessQueue, item: Waiting): void {
    queue.waiting.push(item);
    if (!queue.inFlight && !this.#locked.has(queue)) this.#ready.add(queue);
    this.#startSoon();
  }

  /** Starts the next suspect of a business, unless one has started a short time ago. */
  #nextSuspect(queue: BusinessQueue): void {
    if (queue.suspectStarted) return;
    const suspect = queue.suspects.shift();
    if (suspect === undefined) return;
    queue.suspectStarted = true;
    setTimeout(() => {
      queue.suspectStarted = false;
      this.#nextSuspect(queue);
    }, this.#settings.suspectsApartMilliseconds);
    this.#add(queue, { ...suspect, since: performance.now(), most: 1 });
  }

  /** @returns the rejection of a new posting, or undefined if the queue takes it */
  overload(businessId: number): Rejection | undefined {
    const { capacity, capacityOfBusiness, longestWaitMilliseconds } = this.#settings;
    const queue = this.#queueOf(businessId);
    const [oldest] = queue.waiting;
    const isFull =
      this.#backlog.postings >= capacity ||
      queue.waiting.length >= capacityOfBusiness ||
      (oldest !== undefined && performance.now() - oldest.since > longestWaitMilliseconds);
    return isFull ? this.#unavailable(queue) : undefined;
  }

  #queueOf(businessId: number): BusinessQueue {
    let queue = this.#queues.get(businessId);
    if (queue === undefined) {
      queue = { waiting: [], inFlight: false, suspects: [], suspectStarted: false, retryAt: 0 };
      this.#queues.set(businessId, queue);
    }
    return queue;
  }

  /** Spreads the times of retries, because retries at the same time would be rejected again. */
  #unavailable(queue: BusinessQueue): Rejection {
    const { retryMilliseconds, longestRetryAfterSeconds } = this.#settings;
    const now = performance.now();
    const next = Math.max(queue.retryAt, now) + retryMilliseconds;
    queue.retryAt = Math.min(next, now + longestRetryAfterSeconds * 1000);
    return reject("service_unavailable", {}, Math.ceil((queue.retryAt - now) / 1000));
  }

  /** Starts groups after the requests that have already arrived are read, so that they share a group. */
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
    while (this.#groups.skip < groupsAtOnce && this.#ready.size > 0) {
      void this.#run(this.#take(this.#ready), "skip");
    }
    while (this.#groups.wait < waitingGroupsAtOnce && this.#locked.size > 0) {
      void this.#run(this.#take(this.#locked), "wait");
    }
  }

  /** Takes the oldest postings of some businesses, and marks these businesses as in flight. */
  #take(queues: Set<BusinessQueue>): Waiting[] {
    const { groupSize, groupSizeOfBusiness } = this.#settings;
    const group: Waiting[] = [];
    let size = groupSize;
    for (const queue of queues) {
      const before = group.length;
      for (const item of queue.waiting.slice(0, groupSizeOfBusiness)) {
        if (group.length >= Math.min(size, item.most)) break;
        group.push(item);
        size = Math.min(size, item.most);
      }
      if (group.length === before) continue;
      queue.waiting.splice(0, group.length - before);
      queues.delete(queue);
      queue.inFlight = true;
      if (group.length >= size) break;
    }
    return group;
  }

  /** Runs a group. Starts the next one before responses are sent, so that the database works meanwhile. */
  async #run(group: readonly Waiting[], whenLocked: "wait" | "skip"): Promise<void> {
    let outcomes: readonly GroupOutcome[] = [];
    let failure: { readonly error: unknown } | undefined;
    this.#groups[whenLocked] += 1;
    try {
      outcomes = await this.#tryCommit(group, whenLocked);
      const locked = group.filter((_, index) => outcomes[index] === undefined);
      // After a wait that timed out, only the first ledger is known to be locked.
      const timedOut = whenLocked === "wait" && outcomes[0] === undefined;
      this.#putBack(locked, (queue) => !timedOut || queue === group[0]?.queue);
      this.#putBack(
        group.filter((_, index) => outcomes[index] === "settled_in_part"),
        () => false,
      );
    } catch (error) {
      if (!this.#putBackParts(group, error)) failure = { error };
    }
    this.#groups[whenLocked] -= 1;
    // Businesses of this group come after those that have waited meanwhile.
    for (const queue of queuesOf(group)) {
      queue.inFlight = false;
      if (queue.waiting.length > 0 && !this.#locked.has(queue)) this.#ready.add(queue);
    }
    this.#start();
    await new Promise((resolve) => setImmediate(resolve));
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index];
      const isDecided = typeof outcome === "object";
      // Those that are not decided were put back.
      if (!isDecided && failure === undefined) continue;
      this.#backlog.postings -= 1;
      if (isDecided) resolve(outcome);
      else reject(failure?.error);
    }
  }

  async #tryCommit(group: readonly Waiting[], whenLocked: "wait" | "skip") {
    const commands = group.map(({ command }) => command);
    const startedAt = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        const outcomes = await this.#commit(commands, whenLocked);
        const size = outcomes.filter((outcome) => typeof outcome === "object").length;
        if (size > 0) this.#onCommitted(size, (performance.now() - startedAt) / 1000);
        return outcomes;
      } catch (error) {
        if (attempt >= maximumAttempts[faultOf(error)]) throw error;
      }
    }
  }

  /**
   * Puts the postings of a failed group back into their queues, to run in smaller groups.
   * @returns false for a group of one posting, or if the database is unavailable: then it puts nothing back
   */
  #putBackParts(group: readonly Waiting[], error: unknown): boolean {
    // A running write has claimed a key of the group. The posting with that key then waits alone, as for a locked ledger.
    const isClaimed = codeOf(error) === lockNotAvailable;
    const isPersistent = !isTransient(error);
    if (isPersistent && group.length === 1) this.#failed.set(nameOf((group[0] as Waiting).command), true);
    if (!isClaimed && (group.length === 1 || faultOf(error) === "unavailable")) return false;
    // Each further wait for a lock would take as long as the first.
    for (const item of group) item.most = isPersistent ? Math.ceil(group.length / 2) : 1;
    this.#putBack(group, () => group.length === 1);
    return true;
  }

  /** Puts postings in front of their queues, and rejects those that have waited too long. */
  #putBack(group: readonly Waiting[], isLocked: (queue: BusinessQueue) => boolean): void {
    for (const item of group.toReversed()) item.queue.waiting.unshift(item);
    const oldest = performance.now() - this.#settings.longestWaitMilliseconds;
    for (const queue of queuesOf(group)) {
      const overdue = queue.waiting.filter(({ since }) => since < oldest);
      queue.waiting = queue.waiting.slice(overdue.length);
      this.#backlog.postings -= overdue.length;
      for (const { resolve } of overdue) resolve(this.#unavailable(queue));
      if (queue.waiting.length > 0 && isLocked(queue)) this.#locked.add(queue);
    }
  }
}

function queuesOf(group: readonly Waiting[]): Set<BusinessQueue> {
  return new Set(group.map(({ queue }) => queue));
}
