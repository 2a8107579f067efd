/** How many requests to receivers may start while postings wait. */

export interface PaceParts {
  /** Whether many postings wait in this process. */
  readonly isBusy: () => boolean;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** While the process is busy, so many requests start in so many milliseconds. */
export const busyPace = { requests: 25, milliseconds: 100 };

/**
 * Postings come first: a request to a receiver takes about as much processor time as a posting, and nobody waits for it at a till.
 * A process that is not busy starts requests as they come.
 */
export class Pace {
  readonly #parts: PaceParts;
  #started = 0;
  #endsAt = 0;

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  /** Whether another request may start now. */
  get mayStart(): boolean {
    return !this.#parts.isBusy() || this.#startedLately() < busyPace.requests;
  }

  start(): void {
    this.#startedLately();
    this.#started += 1;
  }

  /** After how many milliseconds further requests may start. */
  get pauseMilliseconds(): number {
    return Math.max(0, this.#endsAt - this.#parts.clock());
  }

  #startedLately(): number {
    const now = this.#parts.clock();
    if (now >= this.#endsAt) {
      this.#endsAt = now + busyPace.milliseconds;
      this.#started = 0;
    }
    return this.#started;
  }
}
