/** The periods of a report. Weeks begin on Monday. Periods are whole: the first and the last one may reach beyond the days asked. */
import { addDays, addPeriod } from "../dates.ts";
import type { Range } from "./ranges.ts";

export const reportUnits = ["day", "week", "month"] as const;
export type ReportUnit = (typeof reportUnits)[number];

export interface ReportPeriod {
  readonly starts_on: string;
  readonly ends_on: string;
}

const daysSince1970 = (day: string) => Date.parse(`${day}T00:00:00Z`) / 86_400_000;
const monthsOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));

/** The first day of the period that has a day. */
function startOfPeriod(day: string, unit: ReportUnit): string {
  if (unit === "day") return day;
  if (unit === "month") return `${day.slice(0, 7)}-01`;
  // 1970 began on a Thursday.
  return addDays(day, -((((daysSince1970(day) + 3) % 7) + 7) % 7));
}

/** How many periods there are between two days, which are in the first and the last of them. */
export function countPeriods(from: string, through: string, unit: ReportUnit): number {
  if (unit === "month") return monthsOf(through) - monthsOf(from) + 1;
  const days = daysSince1970(startOfPeriod(through, unit)) - daysSince1970(startOfPeriod(from, unit));
  return (unit === "day" ? days : days / 7) + 1;
}

/** The periods that lie wholly in a range: how many, and the days of all of them. Without any, `starts_on` is after `ends_on`. */
export function wholePeriods({ from, through }: Range, unit: ReportUnit): ReportPeriod & { count: number } {
  const first = startOfPeriod(from, unit);
  const starts_on = first === from ? first : addPeriod(first, 1, unit);
  const ends_on = addDays(startOfPeriod(addDays(through, 1), unit), -1);
  return { starts_on, ends_on, count: starts_on > ends_on ? 0 : countPeriods(starts_on, ends_on, unit) };
}

/** Some periods from a day on. @param skipped how many precede them, from the one that has the day */
export function periodsFrom(day: string, unit: ReportUnit, skipped: number, count: number): ReportPeriod[] {
  const first = startOfPeriod(day, unit);
  return Array.from({ length: count }, (_, index) => {
    const starts_on = addPeriod(first, skipped + index, unit);
    return { starts_on, ends_on: addDays(addPeriod(starts_on, 1, unit), -1) };
  });
}
