/**
 * Limits the requests without valid credentials by address, so that they can't take the processor from partners.
 * A request past the limit is not rejected, because others behind the same address may hold valid credentials: its response
 * waits, and its connection brings no more meanwhile.
 */
import { networkOf } from "../domain/network.ts";
import { createRateLimiter } from "./rate-limits.ts";

const waitMilliseconds = 1000;
/** More are not kept waiting: their connections are closed. */
const mostWaiting = 1000;

/** @returns false when the connection must be closed without a response */
export type UnauthenticatedLimit = (address: string) => boolean | Promise<boolean>;

/**
 * @param perSecond requests a second of one address; four times as many at once; 0 is no limit
 * @param clock monotonic milliseconds
 */
export function createUnauthenticatedLimit(perSecond: number, clock: () => number): UnauthenticatedLimit {
  const limiter = createRateLimiter(perSecond === 0 ? undefined : { perSecond, burst: 4 * perSecond }, clock);
  let waiting = 0;
  return (address) => {
    if (limiter === undefined || limiter.count(networkOf(address)).allowed) return true;
    if (waiting >= mostWaiting) return false;
    waiting += 1;
    return new Promise((resolve) => {
      setTimeout(() => {
        waiting -= 1;
        resolve(true);
      }, waitMilliseconds);
    });
  };
}
