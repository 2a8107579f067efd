/** How long webhooks wait while postings do. */

export interface PaceParts {
  /** Whether many postings wait in this process. */
  readonly isBusy: () => boolean;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** While the process is busy, an event waits until it is so old. Then it is sent at once, so that webhooks keep up. */
export const longestWaitMilliseconds = 500;
/** Older events are a backlog, such as that of a receiver that was down. It takes no more than a share of a busy process. */
export const backlogMilliseconds = 60_000;
/** While the process is busy, so many requests start in so many milliseconds for events that are new, or of a backlog. */
export const busyPace = { requests: 50, milliseconds: 100 };
const lookMilliseconds = 20;

/** Postings come first, but only for a moment: nobody waits for a webhook at a till, and no webhook waits without end. */
export function createPace({ isBusy, clock }: PaceParts) {
  let waiting: { readonly recordedAt: number; readonly start: () => void }[] = [];
  let [started, endsAt] = [0, 0];

  const mayStart = (recordedAt: number): boolean => {
    const now = clock();
    const age = now - recordedAt;
    if (!isBusy() || (age >= longestWaitMilliseconds && age < backlogMilliseconds)) return true;
    if (now >= endsAt) [started, endsAt] = [0, now + busyPace.milliseconds];
    started += 1;
    return started <= busyPace.requests;
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
