import { type Bucket, countRequest, type RateLimit, type RateLimitResult } from "../domain/rate-limit.ts";

export interface RateLimiter {
  readonly limit: RateLimit;
  /** Counts a request under a key. */
  count(key: string | number): RateLimitResult;
}

const sweepEvery = 10_000;

/**
 * Keeps a bucket for each key. Full buckets are dropped, so that memory is bounded by the number of recent callers.
 * @param limit undefined for no limit
 * @param clock monotonic milliseconds
 */
export function createRateLimiter(
  limit: RateLimit | undefined,
  clock: () => number,
): RateLimiter | undefined {
  if (limit === undefined) return undefined;
  const buckets = new Map<string | number, Bucket>();
  let counted = 0;

  const sweep = (now: number) => {
    const fullAfter = (limit.burst / limit.perSecond) * 1000;
    for (const [key, bucket] of buckets) if (now - bucket.at > fullAfter) buckets.delete(key);
  };

  return {
    limit,
    count(key) {
      const now = clock();
      const result = countRequest(limit, buckets.get(key), now);
      buckets.set(key, result.bucket);
      if (++counted % sweepEvery === 0) sweep(now);
      return result;
    },
  };
}
