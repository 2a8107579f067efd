/** Days and times. Most are in the zone of the business, as the service returns them. Others are in UTC. */

export { addDays as dayAfter } from "../../../../src/domain/dates.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "2026-04-17" is "17 Apr 2026". */
export function dayText(day: string): string {
  const [year, month, date] = day.slice(0, 10).split("-");
  return `${Number(date)} ${months[Number(month) - 1]} ${year}`;
}

/** "2026-04-17 09:30:00" is "17 Apr 2026, 09:30". */
export function momentText(moment: string): string {
  return `${dayText(moment)}, ${moment.slice(11, 16)}`;
}

/**
 * A time in UTC as a time of a zone: "2026-07-17T07:30:00Z" is "2026-07-17 09:30:00" in Paris.
 * @param timeZone undefined for the zone of this computer
 */
export function inZone(utc: string, timeZone: string | undefined): string {
  const moment = new Date(`${utc.slice(0, 19).replace(" ", "T")}Z`);
  // Swedish people write days and times as the service does.
  return moment.toLocaleString("sv-SE", { timeZone });
}

/** The zone of this computer. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** "2026-04" is "Apr 2026". */
export function monthText(month: string): string {
  return dayText(`${month}-01`).slice(2);
}

const units = [
  ["days", 86_400],
  ["hours", 3600],
  ["minutes", 60],
] as const;

/** 7300 seconds are "2 hours". */
export function durationText(seconds: number): string {
  // A unit begins at two, so that nothing is rounded by more than a third.
  const [unit, size] = units.find(([, size]) => seconds >= 2 * size) ?? ["seconds", 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}
