/** A token bucket: an average rate, and a burst above it. */

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface Bucket {
  /** How many requests are allowed at `at`; may hold a fraction. */
  readonly level: number;
  /** Milliseconds. */
  readonly at: number;
}

export interface RateLimitResult {
  readonly allowed: boolean;
  readonly bucket: Bucket;
  /** How many more requests are allowed now. */
  readonly remaining: number;
  /** Whole seconds until one more request is allowed; 0 when one is allowed now. */
  readonly retryAfterSeconds: number;
}

/** What the bucket holds now. A clock that was set back refills nothing. */
function refill(limit: RateLimit, bucket: Bucket | undefined, now: number): number {
  if (bucket === undefined) return limit.burst;
  const elapsed = Math.max(0, now - bucket.at) / 1000;
  return Math.min(limit.burst, bucket.level + elapsed * limit.perSecond);
}

/**
 * Counts one request.
 * @param bucket the caller's; undefined for a new caller
 * @param now milliseconds
 */
export function countRequest(limit: RateLimit, bucket: Bucket | undefined, now: number): RateLimitResult {
  const level = refill(limit, bucket, now);
  const allowed = level >= 1;
  const left = allowed ? level - 1 : level;
  return {
    allowed,
    bucket: { level: left, at: Math.max(now, bucket?.at ?? now) },
    remaining: Math.floor(left),
    retryAfterSeconds: left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / limit.perSecond)),
  };
}
