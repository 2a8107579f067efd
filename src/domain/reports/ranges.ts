/** The ranges of days that people look at, and what a range is compared with. */
import { addDays, addPeriod, endOfMonth } from "../dates.ts";

export type Range = Readonly<{ from: string; through: string }>;

export const ranges = {
  month: (today: string): Range => ({ from: monthAfter(today, 0), through: today }),
  lastMonth: (today: string): Range => ({ from: monthAfter(today, -1), through: monthEnd(today, -1) }),
  quarter: (today: string): Range => ({ from: addDays(today, -89), through: today }),
  year: (today: string): Range => ({ from: `${today.slice(0, 4)}-01-01`, through: today }),
} as const;

/** Which of these a range is; undefined for another one. */
export const nameOfRange = (range: Range, today: string) =>
  (Object.keys(ranges) as (keyof typeof ranges)[]).find((name) => {
    const { from, through } = ranges[name](today);
    return from === range.from && through === range.through;
  });

/** The first and the last day of the month so many months after that of a day. */
const monthAfter = (day: string, months: number) => addPeriod(`${day.slice(0, 8)}01`, months, "month");
const monthEnd = (day: string, months: number) => endOfMonth(monthAfter(day, months));

const daysBetween = (one: string, other: string) => (Date.parse(other) - Date.parse(one)) / 86_400_000;

/** Whether it ends with the last day of a month. */
const isWhole = ({ through }: Range) => through === monthEnd(through, 0);

/** As many months before a range that begins with a month, or a year before one that begins with a year; otherwise as many days. */
export function rangeBefore(range: Range): Range {
  const { from, through } = range;
  const days = daysBetween(from, through) + 1;
  if (!from.endsWith("-01")) return { from: addDays(from, -days), through: addDays(from, -1) };
  const [first = 0, last = 0] = [from, through].map(
    (day) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)),
  );
  const step = from.endsWith("-01-01") ? 12 : 1;
  const months = Math.ceil((last - first + 1) / step) * step;
  const end = isWhole(range) ? monthEnd(through, -months) : addPeriod(through, -months, "month");
  return { from: monthAfter(from, -months), through: end };
}

/** The length of the periods of a chart that people can read. */
export function usualUnit({ from, through }: Range): "day" | "week" | "month" {
  const days = daysBetween(from, through);
  return days <= 31 ? "day" : days <= 180 ? "week" : "month";
}
