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
  /** How much work of one owner waits at most. Unlimited by default. */
  readonly mostWaiting?: number;
  /** When this much work of all owners waits, an owner may have only one piece waiting. Unlimited by default. */
  readonly mostInAll?: number;
  /** When work over a limit may be retried. */
  readonly retryAfterSeconds?: number;
}

export class FairQueue {
  readonly #settings: Required<FairQueueSettings>;
  #running = 0;
  #inAll = 0;
  /** Waiting work of each owner, oldest first. The first owner is served next. */
  readonly #waiting = new Map<unknown, (() => void)[]>();

  constructor(settings: FairQueueSettings) {
    const unlimited = { mostWaiting: Number.POSITIVE_INFINITY, mostInAll: Number.POSITIVE_INFINITY };
    this.#settings = { ...unlimited, retryAfterSeconds: 1, ...settings };
  }

  /**
   * Runs work when it is the owner's turn.
   * @throws OverloadedError, at once, when too much work waits; or what the work throws
   */
  async run<Result>(owner: unknown, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#settings.atOnce) await this.#wait(owner);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#startNext();
    }
  }

  #wait(owner: unknown): Promise<void> {
    const queue = this.#waiting.get(owner);
    const { mostWaiting, mostInAll, retryAfterSeconds } = this.#settings;
    const most = this.#inAll < mostInAll ? mostWaiting : Math.min(mostWaiting, 1);
    if ((queue?.length ?? 0) >= most) throw new OverloadedError(retryAfterSeconds);
    this.#inAll += 1;
    return new Promise((resolve) => {
      if (queue === undefined) this.#waiting.set(owner, [resolve]);
      else queue.push(resolve);
    });
  }

  /** Hands the slot of finished work to the next waiter, so that new work can't jump the queue. */
  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#inAll -= 1;
    const [owner, queue] = next;
    const start = queue.shift() as () => void;
    this.#waiting.delete(owner);
    if (queue.length > 0) this.#waiting.set(owner, queue);
    start();
  }
}
