/** Limits the requests of a caller, the requests of an address without valid credentials, and the time of a request. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Rejection, reject } from "../contract/errors.ts";
import type { ResponseHeaders } from "./request.ts";

const monotonic = () => performance.now();

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export type Counted = ReturnType<RateLimiter["count"]>;

const sweepEvery = 10_000;

/** Counts requests by a token bucket for each key. */
export class RateLimiter {
  /** Of all processes together. */
  readonly #limit: RateLimit;
  readonly #processes: number;
  readonly #clock: () => number;
  /** How many requests each key had left, and when that was. */
  readonly #buckets = new Map<string | number, { readonly level: number; readonly at: number }>();
  #counted = 0;

  /** @param processes how many share the limit; each counts its share @param clock monotonic milliseconds */
  constructor(limit: RateLimit, processes = 1, clock = monotonic) {
    this.#limit = limit;
    this.#processes = processes;
    this.#clock = clock;
  }

  /** Counts a request. The result has a rejection if its key has none left. */
  count(key: string | number) {
    const limit = this.#limit;
    const { perSecond, level } = this.#stateOf(key);
    const left = level >= 1 ? level - 1 : level;
    this.#keep(key, left);
    const retryAfterSeconds = secondsUntilOne(left, perSecond);
    return {
      limit,
      rejection: level >= 1 ? undefined : reject("rate_limited", {}, retryAfterSeconds),
      /** How many more requests are allowed now, by all processes, if requests reach them evenly. */
      remaining: Math.min(limit.burst, Math.floor(left) * this.#processes),
      /** Whole seconds until one more request is allowed; 0 when one is allowed now. */
      retryAfterSeconds,
    };
  }

  /** Counts a failure of a request that was allowed, also if none is left: several can be allowed at the same time. */
  owe(key: string | number): void {
    this.#keep(key, this.#stateOf(key).level - 1);
  }

  /** The rejection that the next request of a key gets. Counts nothing. */
  rejection(key: string | number): Rejection | undefined {
    const { level, perSecond } = this.#stateOf(key);
    return level >= 1 ? undefined : reject("rate_limited", {}, secondsUntilOne(level, perSecond));
  }

  /** How many requests a key has left now. */
  #stateOf(key: string | number) {
    const [limit, now] = [this.#limit, this.#clock()];
    const perSecond = limit.perSecond / this.#processes;
    const burst = Math.max(1, limit.burst / this.#processes);
    const { level, at } = this.#buckets.get(key) ?? { level: burst, at: now };
    return { burst, perSecond, level: Math.min(burst, level + ((now - at) / 1000) * perSecond) };
  }

  #keep(key: string | number, level: number): void {
    this.#buckets.set(key, { level, at: this.#clock() });
    if (++this.#counted % sweepEvery === 0) this.#sweep();
  }

  /** Drops buckets that have filled up again, so that memory is bounded by the number of recent callers. */
  #sweep(): void {
    for (const key of this.#buckets.keys()) {
      const { level, burst } = this.#stateOf(key);
      if (level === burst) this.#buckets.delete(key);
    }
  }
}

const secondsUntilOne = (left: number, perSecond: number) =>
  left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond));

/** The rate limit's headers (IETF draft "RateLimit header fields for HTTP"). @param policy the limit's name */
export function limitHeaders(policy: "default" | "tokens", counted: Counted | undefined): ResponseHeaders {
  if (counted === undefined) return {};
  const { limit, remaining, retryAfterSeconds } = counted;
  return {
    "ratelimit-policy": `"${policy}";q=${limit.burst};w=${Math.ceil(limit.burst / limit.perSecond)}`,
    ratelimit: `"${policy}";r=${remaining};t=${retryAfterSeconds}`,
  };
}

/**
 * The key of limits by address: an IPv4 address, or the /64 network of an IPv6 address. A customer gets a whole IPv6 network
 * (RFC 6177).
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

const waitMilliseconds = 1000;
const mostWaitingOfNetwork = 20;

/** Waits if the address is over the limit. @returns false when the request must be rejected */
export type UnauthenticatedLimit = (address: string) => boolean | Promise<boolean>;

/**
 * Limits the requests without valid credentials or scope by address, so that partners get enough processor time. A request
 * above the limit has to wait. It is rejected only if many others of its address wait, because callers with valid credentials
 * may have the same address.
 * @param perSecond requests a second of one address; four times as many in a burst; 0 is no limit
 * @param processes how many share the limit
 */
export function createUnauthenticatedLimit(perSecond: number, processes = 1): UnauthenticatedLimit {
  if (perSecond === 0) return () => true;
  const limiter = new RateLimiter({ perSecond, burst: 4 * perSecond }, processes);
  const waiting = new Map<string, number>();
  return async (address) => {
    const network = networkOf(address);
    if (limiter.count(network).rejection === undefined) return true;
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
 * Waits for work, up to a time limit. The work continues after the limit, but its result is discarded.
 * @throws the error of the work; or ETIMEDOUT after the limit: whether the work took effect is unknown
 */
export function withTimeout<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(Object.assign(new Error(`not done within ${milliseconds} ms`), { code: "ETIMEDOUT" }));
    }, milliseconds);
    const end =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer);
        settle(value);
      };
    work.then(end(resolve), end(reject));
  });
}
