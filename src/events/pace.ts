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
export function createPace({ isBusy, clock }: PaceParts) {
  let [started, endsAt] = [0, 0];
  const startedLately = () => {
    const now = clock();
    if (now >= endsAt) [started, endsAt] = [0, now + busyPace.milliseconds];
    return started;
  };
  return {
    /** Whether another request may start now. */
    get mayStart() {
      return !isBusy() || startedLately() < busyPace.requests;
    },
    start() {
      startedLately();
      started += 1;
    },
    /** After how many milliseconds further requests may start. */
    get pauseMilliseconds() {
      return Math.max(0, endsAt - clock());
    },
  };
}
