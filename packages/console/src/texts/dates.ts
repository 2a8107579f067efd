/** Days and times. Most are in the zone of the business, as the service returns them. Others are in UTC. */

import { language } from "./en/language.ts";

export { addDays as dayAfter } from "../../../../src/domain/dates.ts";

const dayForm = (parts: Intl.DateTimeFormatOptions) => {
  const form = new Intl.DateTimeFormat(language.locale, { ...parts, timeZone: "UTC" });
  // An address can have any text in the place of a day.
  return (day: string) => (Number.isNaN(Date.parse(day)) ? day : form.format(Date.parse(day)));
};
const wholeDay = dayForm({ day: "numeric", month: "short", year: "numeric" });

/** "2026-04-17" is "17 Apr 2026". */
export const dayText = (day: string): string => wholeDay(day.slice(0, 10));

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
export const monthText = dayForm({ month: "short", year: "numeric" });

const unitForm = (unit: string) =>
  new Intl.NumberFormat(language.locale, { style: "unit", unit, unitDisplay: "long" });

/** 3 of the unit "month" are "3 months". */
export const periodText = (count: number, unit: string) => unitForm(unit).format(count);

/** The unit "month" is "months". */
export const unitsText = (unit: string) =>
  unitForm(unit)
    .formatToParts(2)
    .find(({ type }) => type === "unit")?.value ?? unit;

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** 7300 seconds are "2 hours". */
export function durationText(seconds: number): string {
  // A unit begins at two, so that nothing is rounded by more than a third.
  const [unit, size] = units.find(([, size]) => seconds >= 2 * size) ?? ["second", 1];
  return periodText(Math.floor(seconds / size), unit);
}
