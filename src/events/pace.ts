/** How long webhooks wait while postings do. */

export interface PaceParts {
  /** Whether many postings wait in this process. */
  readonly isBusy: () => boolean;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** While the process is busy, an event waits until it is so old. Then it is sent at once, so that webhooks keep up. */
export const longestWaitMilliseconds = 500;
/** Older events are a backlog, such as that of a receiver that was down. It gets no more of a busy process than it needs to shrink. */
export const backlogMilliseconds = 60_000;
/** While the process is busy, so many requests start in so many milliseconds for new events, and at first for those of a backlog. */
export const busyPace = { requests: 50, milliseconds: 100 };
/** How much more a backlog gets each time while its oldest event grows older. */
const growth = 1.1;
const lookMilliseconds = 20;

/** Postings come first, but only for a moment: nobody waits for a webhook at a till, and no webhook waits without end. */
export function createPace({ isBusy, clock }: PaceParts) {
  let waiting: { readonly recordedAt: number; readonly start: () => void }[] = [];
  let endsAt = 0;
  let started = { recent: 0, backlog: 0 };
  let backlogRequests = busyPace.requests;
  /** The ages of the oldest events of a backlog: in this interval, and in the one before. */
  let [oldest, oldestBefore] = [0, 0];

  const beginInterval = (now: number): void => {
    if (oldest === 0) backlogRequests = busyPace.requests;
    else if (oldestBefore > 0 && oldest >= oldestBefore) backlogRequests *= growth;
    [oldest, oldestBefore] = [0, oldest];
    started = { recent: 0, backlog: 0 };
    endsAt = now + busyPace.milliseconds;
  };
  const mayStart = (recordedAt: number): boolean => {
    const now = clock();
    const age = now - recordedAt;
    if (!isBusy() || (age >= longestWaitMilliseconds && age < backlogMilliseconds)) return true;
    if (now >= endsAt) beginInterval(now);
    if (age < longestWaitMilliseconds) return ++started.recent <= busyPace.requests;
    oldest = Math.max(oldest, age);
    return ++started.backlog <= backlogRequests;
  };
  const look = (): void => {
    const looked = waiting;
    waiting = [];
    for (const one of looked) {
      if (mayStart(one.recordedAt)) one.start();
      else waiting.push(one);
    }
    if (waiting.length > 0) setTimeout(look, lookMilliseconds).unref();
  };
  return {
    mayStart,
    /** Waits until a request may start. @param recordedAt when its event was recorded, in monotonic milliseconds */
    async turn(recordedAt: number): Promise<void> {
      if (mayStart(recordedAt)) return;
      await new Promise<void>((start) => {
        if (waiting.length === 0) setTimeout(look, lookMilliseconds).unref();
        waiting.push({ recordedAt, start });
      });
    },
  };
}
