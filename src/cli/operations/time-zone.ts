/** Tells people in which time zone the times of a response are, because the API writes times without one. */
import type { Context } from "../context.ts";

/**
 * @param shown what was printed
 * @param zone of the business whose times they are; without one, times are in UTC
 */
export function tellTimeZone({ err }: Context, shown: unknown, zone = "UTC"): void {
  if (hasTimes(shown)) err.line(err.style("dim", `Times are in ${zone}.`));
}

/** Whether a value holds a time such as 2026-04-17 09:30:00, at any depth. */
export function hasTimes(value: unknown): boolean {
  return /"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}"/.test(JSON.stringify(value));
}
