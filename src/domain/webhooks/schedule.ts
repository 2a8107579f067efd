/** When an event is sent again, and when an endpoint that fails is tried again. */

/** After so many failed attempts an event is not sent again, unless a request asks for it. */
export const mostAttempts = 10;

const hour = 3600;
/** The pauses after the first attempt, the second and so on, in seconds: the schedule of Standard Webhooks, 75 hours in all. */
const retryPauses = [5, 300, 1800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
/** The pauses before the first probe of a failing endpoint, the second and so on. The last one repeats. */
const probePauses = [5, 30, 120, 300, 600];
/** A receiver can ask for a longer pause, up to this one. */
const longestPause = 24 * hour;
/** Pauses differ by up to this share, so that what failed together is not sent together again. */
const spread = 0.2;

/** What a receiver asked for by Retry-After. */
interface Asked {
  /** From 0 to 1, at random. */
  readonly chance: number;
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * The pause before an event is sent again, in seconds.
 * @param failed how many attempts have failed, at least 1
 * @returns undefined when it is not sent again
 */
export function retryPause(failed: number, asked: Asked): number | undefined {
  return failed >= mostAttempts ? undefined : pauseOf(retryPauses[failed - 1] as number, asked);
}

/** The pause before the next probe, in seconds. @param failed how many probes in a row have failed */
export function probePause(failed: number, asked: Asked): number {
  return pauseOf(probePauses[Math.min(failed, probePauses.length - 1)] as number, asked);
}

function pauseOf(seconds: number, { chance, retryAfterSeconds = 0 }: Asked): number {
  const varied = seconds * (1 - spread + 2 * spread * chance);
  return Math.max(varied, Math.min(retryAfterSeconds, longestPause));
}

/**
 * Reads the header Retry-After: seconds, or a date.
 * @param now the time in milliseconds
 * @returns undefined when it is neither
 */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,10}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
}
