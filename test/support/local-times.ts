/** Local times by Node's time zones, to compare with the service's, which come from PostgreSQL. */

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Wall-clock time in a time zone, as YYYY-MM-DD HH:MM:SS. @param milliseconds since the epoch */
export function wallClockAt(milliseconds: number, timeZone: string): string {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
    formatters.set(timeZone, formatter);
  }
  return formatter.format(milliseconds);
}

/** A time zone in which it is noon, so that no day ends during a test. */
export function zoneAtNoon(): string {
  // The names have the sign of POSIX: it is earlier in GMT+1.
  const hours = new Date().getUTCHours() - 12;
  return `Etc/GMT${hours < 0 ? hours : `+${hours}`}`;
}

/** A time zone in which it is another day than in UTC, and stays so for an hour at least. */
export function zoneOfAnotherDay(): string {
  return new Date().getUTCHours() < 11 ? "Etc/GMT+12" : "Etc/GMT-14";
}

/** The day it is in a time zone at an instant, as YYYY-MM-DD. */
export function dayOf(milliseconds: number, timeZone: string): string {
  return wallClockAt(milliseconds, timeZone).slice(0, 10);
}
