/** Rate limits: a token bucket, which is an average rate and a burst above it, and what an address counts as. */

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

/**
 * What limits by address count: an IPv4 address, or the network of 64 bits of an IPv6 address, because a customer gets a
 * whole network (RFC 6177).
 * @param address of IPv4 or IPv6, without a port
 */
export function networkOf(address: string): string {
  const [before = "", after] = address.split("%", 1)[0]?.toLowerCase().split("::") ?? [];
  if (!address.includes(":") || address.includes(".")) return address;
  const [head, tail] = [groupsOf(before), groupsOf(after ?? "")];
  const missing = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array<string>(missing).fill("0"), ...tail];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":").map((group) => group.replace(/^0+(?=.)/, ""));
}
