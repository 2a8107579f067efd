/** A token bucket: so many a second on average, so many at once. */

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface Bucket {
  /** How many may still pass at `at`; may hold a fraction. */
  readonly level: number;
  /** Milliseconds. */
  readonly at: number;
}

/** What the bucket holds now. A clock that went back refills nothing. */
function refill(limit: RateLimit, bucket: Bucket | undefined, now: number): number {
  if (bucket === undefined) return limit.burst;
  const elapsed = Math.max(0, now - bucket.at) / 1000;
  return Math.min(limit.burst, bucket.level + elapsed * limit.perSecond);
}

export interface Passage {
  readonly passed: boolean;
  readonly bucket: Bucket;
  /** Whole requests that may still pass at once. */
  readonly remaining: number;
  /** Whole seconds until one more may pass; 0 when one may now. */
  readonly retryAfterSeconds: number;
}

/**
 * Lets one request pass, or not.
 * @param bucket as it was left, or undefined for a caller not seen yet
 * @param now milliseconds
 */
export function pass(limit: RateLimit, bucket: Bucket | undefined, now: number): Passage {
  const level = refill(limit, bucket, now);
  const passed = level >= 1;
  const left = passed ? level - 1 : level;
  return {
    passed,
    bucket: { level: left, at: Math.max(now, bucket?.at ?? now) },
    remaining: Math.floor(left),
    retryAfterSeconds: left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / limit.perSecond)),
  };
}
