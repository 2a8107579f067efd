import { type Bucket, type Passage, pass, type RateLimit } from "../domain/rate-limit.ts";

/** Buckets by key. Those that have filled up again are forgotten, so that memory follows the callers. */
export interface RateLimiter {
  readonly limit: RateLimit;
  /** Takes one from the key's bucket. */
  take(key: string | number): Passage;
  /** Looks without taking. */
  peek(key: string | number): Passage;
}

const sweepEvery = 10_000;

/**
 * @param limit undefined when there is none
 * @param clock monotonic milliseconds
 */
export function createRateLimiter(
  limit: RateLimit | undefined,
  clock: () => number,
): RateLimiter | undefined {
  if (limit === undefined) return undefined;
  const buckets = new Map<string | number, Bucket>();
  let taken = 0;

  const sweep = (now: number) => {
    const fullAfter = (limit.burst / limit.perSecond) * 1000;
    for (const [key, bucket] of buckets) if (now - bucket.at > fullAfter) buckets.delete(key);
  };

  return {
    limit,
    take(key) {
      const now = clock();
      const passage = pass(limit, buckets.get(key), now);
      buckets.set(key, passage.bucket);
      if (++taken % sweepEvery === 0) sweep(now);
      return passage;
    },
    peek: (key) => pass(limit, buckets.get(key), clock()),
  };
}
