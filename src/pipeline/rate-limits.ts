import { type Bucket, countRequest, type RateLimit, type RateLimitResult } from "../domain/rate-limit.ts";

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
