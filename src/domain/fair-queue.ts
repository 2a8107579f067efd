/** A queue that serves its owners in rotation, so that an owner with much work delays only itself. */

export class OverloadedError extends Error {
  /** When to retry, in whole seconds. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super("too much work is waiting");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface FairQueueSettings {
  /** How much work runs at the same time. */
  readonly atOnce: number;
  /**
   * Whether an owner may run several pieces only while as many places stay free. Then one owner alone gets half of the
   * places, and there is a place for others even if all its work waits for a lock.
   */
  readonly keepsPlacesFree?: boolean;
  /** How much work of one owner waits at most. Unlimited by default. */
  readonly mostWaiting?: number;
  /** When this much work of all owners waits, an owner may have only one piece waiting. Unlimited by default. */
  readonly mostInAll?: number;
  /** Work that has waited longer is rejected at its turn. Unlimited by default. */
  readonly longestWaitMilliseconds?: number;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  /** When work over a limit may be retried. */
  readonly retryAfterSeconds?: number;
}

interface Waiting {
  readonly since: number;
  readonly start: () => void;
  readonly reject: (error: OverloadedError) => void;
}

const unlimited = {
  keepsPlacesFree: false,
  mostWaiting: Number.POSITIVE_INFINITY,
  mostInAll: Number.POSITIVE_INFINITY,
  longestWaitMilliseconds: Number.POSITIVE_INFINITY,
  clock: () => 0,
  retryAfterSeconds: 1,
};

export class FairQueue {
  readonly #settings: Required<FairQueueSettings>;
  #free: number;
  #inAll = 0;
  /** How many pieces of each owner run. */
  readonly #running = new Map<unknown, number>();
  /** Waiting work of each owner, oldest first. The first owner that may start is served next. */
  readonly #waiting = new Map<unknown, Waiting[]>();

  constructor(settings: FairQueueSettings) {
    this.#settings = { ...unlimited, ...settings };
    this.#free = settings.atOnce;
  }

  /** How much work waits. */
  waiting(): number {
    return this.#inAll;
  }

  /**
   * Runs work when it is the owner's turn.
   * @throws OverloadedError, at once, when too much work waits, or at its turn, when it has waited too long; or what the
   *   work throws
   */
  async run<Result>(owner: unknown, work: () => Promise<Result>): Promise<Result> {
    if (this.#mayStart(owner)) this.#start(owner);
    else await this.#wait(owner);
    try {
      return await work();
    } finally {
      this.#end(owner);
    }
  }

  #mayStart(owner: unknown): boolean {
    if (this.#free === 0) return false;
    const running = this.#running.get(owner) ?? 0;
    return running === 0 || !this.#settings.keepsPlacesFree || running + 1 < this.#free;
  }

  #start(owner: unknown): void {
    this.#free -= 1;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
  }

  /** Hands the place to the next waiter, so that new work can't jump the queue. */
  #end(owner: unknown): void {
    this.#free += 1;
    const running = (this.#running.get(owner) as number) - 1;
    if (running === 0) this.#running.delete(owner);
    else this.#running.set(owner, running);
    while (this.#inAll > 0 && this.#startNext());
  }

  #wait(owner: unknown): Promise<void> {
    const { mostWaiting, mostInAll, retryAfterSeconds, clock } = this.#settings;
    const queue = this.#waiting.get(owner);
    const most = this.#inAll < mostInAll ? mostWaiting : Math.min(mostWaiting, 1);
    if ((queue?.length ?? 0) >= most) throw new OverloadedError(retryAfterSeconds);
    this.#inAll += 1;
    return new Promise((start, reject) => {
      const waiting = { since: clock(), start, reject };
      if (queue === undefined) this.#waiting.set(owner, [waiting]);
      else queue.push(waiting);
    });
  }

  /** @returns whether there was work that may start */
  #startNext(): boolean {
    for (const [owner, queue] of this.#waiting) {
      if (!this.#mayStart(owner)) continue;
      const { since, start, reject } = queue.shift() as Waiting;
      this.#inAll -= 1;
      this.#waiting.delete(owner);
      if (queue.length > 0) this.#waiting.set(owner, queue);
      const { clock, longestWaitMilliseconds, retryAfterSeconds } = this.#settings;
      if (clock() - since > longestWaitMilliseconds) reject(new OverloadedError(retryAfterSeconds));
      else {
        this.#start(owner);
        start();
      }
      return true;
    }
    return false;
  }
}
