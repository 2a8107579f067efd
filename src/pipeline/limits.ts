/** Limits of requests: how many of one caller, how many of one address without credentials, and how long one may take. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Bucket,
  countRequest,
  networkOf,
  type RateLimit,
  type RateLimitResult,
} from "../domain/rate-limit.ts";

export interface RateLimiter {
  /** Of all processes together. */
  readonly limit: RateLimit;
  /**
   * Counts a request under a key. The remaining number is for all processes, if requests reach them evenly.
   */
  count(key: string | number): RateLimitResult;
}

const sweepEvery = 10_000;

/**
 * Keeps a bucket for each key. Full buckets are dropped, so that memory is bounded by the number of recent callers.
 * @param limit of all processes together; undefined for no limit
 * @param clock monotonic milliseconds
 * @param processes how many share the limit; each counts its share
 */
export function createRateLimiter(
  limit: RateLimit | undefined,
  clock: () => number,
  processes = 1,
): RateLimiter | undefined {
  if (limit === undefined) return undefined;
  const share = { perSecond: limit.perSecond / processes, burst: Math.max(1, limit.burst / processes) };
  const buckets = new Map<string | number, Bucket>();
  let counted = 0;

  const sweep = (now: number) => {
    const fullAfter = (share.burst / share.perSecond) * 1000;
    for (const [key, bucket] of buckets) if (now - bucket.at > fullAfter) buckets.delete(key);
  };

  return {
    limit,
    count(key) {
      const now = clock();
      const result = countRequest(share, buckets.get(key), now);
      buckets.set(key, result.bucket);
      if (++counted % sweepEvery === 0) sweep(now);
      return { ...result, remaining: Math.min(limit.burst, result.remaining * processes) };
    },
  };
}

const waitMilliseconds = 1000;
const mostWaitingOfNetwork = 20;

/** Waits if the limit is passed. @returns false when the request must be rejected */
export type UnauthenticatedLimit = (address: string) => boolean | Promise<boolean>;

/**
 * Limits the requests without valid credentials or scope by address, so that they can't take the processor from partners.
 * A request past the limit has to wait. It is rejected only if many others of its address wait, because others behind the
 * same address may hold valid credentials.
 * @param perSecond requests a second of one address; four times as many in a burst; 0 is no limit
 * @param clock monotonic milliseconds
 * @param processes how many share the limit
 */
export function createUnauthenticatedLimit(
  perSecond: number,
  clock: () => number,
  processes = 1,
): UnauthenticatedLimit {
  const limit = perSecond === 0 ? undefined : { perSecond, burst: 4 * perSecond };
  const limiter = createRateLimiter(limit, clock, processes);
  const waiting = new Map<string, number>();
  return async (address) => {
    const network = networkOf(address);
    if (limiter === undefined || limiter.count(network).allowed) return true;
    const others = waiting.get(network) ?? 0;
    if (others >= mostWaitingOfNetwork) return false;
    waiting.set(network, others + 1);
    await sleep(waitMilliseconds);
    const left = (waiting.get(network) as number) - 1;
    if (left === 0) waiting.delete(network);
    else waiting.set(network, left);
    return true;
  };
}

/**
 * Waits for work, up to a time limit. The work continues after it, but its result is discarded.
 * @throws after the time limit, as a connection timeout does: whether the work took effect is unknown; or the error of the
 *   work
 */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    const fail = () =>
      reject(Object.assign(new Error(`not done within ${milliseconds} ms`), { code: "ETIMEDOUT" }));
    timer = setTimeout(fail, milliseconds);
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}
