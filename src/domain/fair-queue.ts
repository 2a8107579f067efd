/** A queue that serves its owners in rotation. An owner with much work delays only itself. */

export class OverloadedError extends Error {
  /** When to retry, in whole seconds. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super("too much work is waiting");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface FairQueueSettings {
  /** How many pieces of work run at the same time. */
  readonly atOnce: number;
  /**
   * An owner may start another piece only if so many times as many places stay free as it then uses. With 1, it gets at most half of
   * the places, so others get a place even if all its work waits for a lock. By default, no places are kept free.
   */
  readonly keepsPlacesFree?: number;
  /** How many pieces of one owner wait at most. Unlimited by default. */
  readonly mostWaiting?: number;
  /** When this many pieces of all owners wait, each owner may have only one waiting. Unlimited by default. */
  readonly mostInAll?: number;
  /** A piece that has waited longer is rejected at its turn. Unlimited by default. */
  readonly longestWaitMilliseconds?: number;
  /**
   * After a piece of work, its place stays taken until this resolves. The piece's caller does not wait for it.
   * @param milliseconds how long the work took, by the clock
   */
  readonly rest?: (milliseconds: number) => Promise<unknown>;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  /** When rejected work may be retried. */
  readonly retryAfterSeconds?: number;
}

interface Waiting {
  readonly since: number;
  readonly start: () => void;
  readonly reject: (error: OverloadedError) => void;
}

const unlimited = {
  keepsPlacesFree: 0,
  mostWaiting: Number.POSITIVE_INFINITY,
  mostInAll: Number.POSITIVE_INFINITY,
  longestWaitMilliseconds: Number.POSITIVE_INFINITY,
  clock: () => 0,
  retryAfterSeconds: 1,
};

export class FairQueue {
  readonly #settings: typeof unlimited & FairQueueSettings;
  #free: number;
  #inAll = 0;
  /** How many pieces of each owner run. */
  readonly #running = new Map<unknown, number>();
  /** The waiting work of each owner, oldest first. The first owner that may start is served next. */
  readonly #waiting = new Map<unknown, Waiting[]>();

  constructor(settings: FairQueueSettings) {
    this.#settings = { ...unlimited, ...settings };
    this.#free = settings.atOnce;
  }

  /** How many pieces wait. */
  waiting(): number {
    return this.#inAll;
  }

  /** Runs work when it is the owner's turn. @throws OverloadedError when too much work waits, or it has waited too long */
  async run<Result>(owner: unknown, work: () => Promise<Result>): Promise<Result> {
    if (this.#mayStart(owner)) this.#start(owner);
    else await this.#wait(owner);
    const { clock, rest } = this.#settings;
    const startedAt = clock();
    const end = () => this.#end(owner);
    try {
      return await work();
    } finally {
      if (rest === undefined) end();
      else rest(clock() - startedAt).then(end, end);
    }
  }

  #mayStart(owner: unknown): boolean {
    if (this.#free === 0) return false;
    const running = this.#running.get(owner) ?? 0;
    return running === 0 || (running + 1) * this.#settings.keepsPlacesFree < this.#free;
  }

  #start(owner: unknown): void {
    this.#free -= 1;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
  }

  /** Gives the place to waiting work, so that new work does not take it. */
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
