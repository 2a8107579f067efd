/** Work of many owners of which little is done at once. */

/** Too much waits already. */
export class TurnedAwayError extends Error {
  /** Whole seconds after which it makes sense to come again. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super("too much waits already");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface TurnSettings {
  /** How much is done at the same time. */
  readonly atOnce: number;
  /** How much of one owner's waits at most; without end unless given. */
  readonly mostWaiting?: number;
  /** When so much waits in all, of no owner more than one waits that comes then; without end unless given. */
  readonly mostInAll?: number;
  /** What is said to an owner of whom more would wait. */
  readonly retryAfterSeconds?: number;
}

/** Owners take turns, so that whoever brings much waits for itself and not everybody else for it. */
export class Turns {
  readonly #settings: Required<TurnSettings>;
  #running = 0;
  #inAll = 0;
  /** Of each owner that has some, in the order in which it came; owners in the order of their turns. */
  readonly #waiting = new Map<unknown, (() => void)[]>();

  constructor(settings: TurnSettings) {
    const without = { mostWaiting: Number.POSITIVE_INFINITY, mostInAll: Number.POSITIVE_INFINITY };
    this.#settings = { ...without, retryAfterSeconds: 1, ...settings };
  }

  /**
   * Does some work once it is the owner's turn.
   * @throws TurnedAwayError, at once, when too much waits; or as the work does
   */
  async take<Result>(owner: unknown, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#settings.atOnce) await this.#wait(owner);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#handOn();
    }
  }

  #wait(owner: unknown): Promise<void> {
    const before = this.#waiting.get(owner);
    const { mostWaiting, mostInAll, retryAfterSeconds } = this.#settings;
    const most = this.#inAll < mostInAll ? mostWaiting : Math.min(mostWaiting, 1);
    if ((before?.length ?? 0) >= most) throw new TurnedAwayError(retryAfterSeconds);
    this.#inAll += 1;
    return new Promise((resolve) => {
      if (before === undefined) this.#waiting.set(owner, [resolve]);
      else before.push(resolve);
    });
  }

  /** What ends hands its place on, so that nothing that comes now overtakes what waits. */
  #handOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#inAll -= 1;
    const [owner, theirs] = next;
    const begin = theirs.shift() as () => void;
    this.#waiting.delete(owner);
    if (theirs.length > 0) this.#waiting.set(owner, theirs);
    begin();
  }
}
