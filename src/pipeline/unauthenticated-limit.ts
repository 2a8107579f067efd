/**
 * Limits the requests without valid credentials or scope by address, so that they can't take the processor from partners. A
 * request past the limit has to wait. It is rejected only if many others of its address wait, because others behind
 * the same address may hold valid credentials.
 */
import { networkOf } from "../domain/rate-limit.ts";
import { createRateLimiter } from "./rate-limits.ts";

const waitMilliseconds = 1000;
const mostWaitingOfNetwork = 20;

/** Waits if the limit is passed. @returns false when the request must be rejected */
export type UnauthenticatedLimit = (address: string) => boolean | Promise<boolean>;

/**
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
  return (address) => {
    const network = networkOf(address);
    if (limiter === undefined || limiter.count(network).allowed) return true;
    const others = waiting.get(network) ?? 0;
    if (others >= mostWaitingOfNetwork) return false;
    waiting.set(network, others + 1);
    return new Promise((resolve) => {
      setTimeout(() => {
        const left = (waiting.get(network) as number) - 1;
        if (left === 0) waiting.delete(network);
        else waiting.set(network, left);
        resolve(true);
      }, waitMilliseconds);
    });
  };
}
