/** Days and wall-clock times. */

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether the text is a day that exists in the calendar, written YYYY-MM-DD. */
export function isDay(text: string): boolean {
  const match = dayPattern.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  return day <= daysInMonth(year, month);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const momentPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?$/;

/** Whether the text is a day or a time as ISO 8601 writes it: 2026-04-17, 2026-04-17 09:30, 2026-04-17T09:30:00Z. */
export function isMoment(text: string): boolean {
  const match = momentPattern.exec(text);
  return match !== null && isDay(match[1] as string);
}

/** Whether a name is an area and a place, or UTC. PostgreSQL reads "+05:30", "IST" and "CET" in other ways than people expect. */
export function isTimeZoneName(name: string): boolean {
  return /^[a-z_]+\/[\w+/-]+$/i.test(name) || /^(?:utc|gmt)$/i.test(name);
}

export type PeriodUnit = "day" | "week" | "month" | "year";

type Calendar = readonly [year: number, month: number, date: number];

const calendarOf = (day: string): Calendar => [
  Number(day.slice(0, 4)),
  Number(day.slice(5, 7)),
  Number(day.slice(8, 10)),
];
const written = (year: number, month: number, date: number) =>
  `${String(year).padStart(4, "0")}-${month < 10 ? "0" : ""}${month}-${date < 10 ? "0" : ""}${date}`;

/** Adds days to a day. The number may be negative. */
export function addDays(day: string, days: number): string {
  const [year, month, date] = calendarOf(day);
  const within = date + days;
  if (within >= 1 && within <= 28) return written(year, month, within);
  return new Date(Date.UTC(year, month - 1, within)).toISOString().slice(0, 10);
}

/** The day of the week, from 1, Monday, to 7, as in ISO 8601. */
export function weekdayOf(day: string): number {
  const [year, month, date] = calendarOf(day);
  // 400 years are whole weeks. Date.UTC takes the years before 100 for those of 1900.
  return new Date(Date.UTC(year + 400, month - 1, date)).getUTCDay() || 7;
}

/** Adds a period to a day by the calendar: a month after 31 January is the last day of February. */
export function addPeriod(day: string, length: number, unit: PeriodUnit): string {
  if (unit === "day" || unit === "week") return addDays(day, unit === "day" ? length : length * 7);
  const [year, month, date] = calendarOf(day);
  const months = year * 12 + (month - 1) + (unit === "month" ? length : length * 12);
  const [toYear, toMonth] = [Math.floor(months / 12), (months % 12) + 1];
  return written(toYear, toMonth, Math.min(date, daysInMonth(toYear, toMonth)));
}

/** The first day after a validity that begins on a day; null: it has no end. */
export function endOfValidity(from: string, length: number | null, unit: PeriodUnit | null): string | null {
  return length === null || unit === null ? null : addDays(addPeriod(from, length, unit), 1);
}

export function endOfMonth(day: string): string {
  const [year, month] = calendarOf(day);
  return written(year, month, daysInMonth(year, month));
}

/** The last day that can be written. What is valid through it would end on a day that can't. */
export const lastDay = "9999-12-31";
