/** Reads days and times as files have them. The service checks that they exist. */
import { usageError } from "../terminal/cli-error.ts";

/** Reads the day at the beginning of a text. */
export interface DayForm {
  /** A day in this form, for messages. */
  readonly example: string;
  read(text: string): { day: string; rest: string } | undefined;
}

const parts = {
  YYYY: { pattern: "(?<year>\\d{4})", example: "2026" },
  MM: { pattern: "(?<month>\\d{1,2})", example: "04" },
  DD: { pattern: "(?<date>\\d{1,2})", example: "17" },
} as const;

/**
 * Makes the form of a value of --date-format.
 * @param format such as DD/MM/YYYY
 * @throws CliError when it does not have each part once
 */
export function dayForm(format: string): DayForm {
  const found = format.match(/YYYY|MM|DD|[^YMD]+/g) ?? [];
  const names = found.filter((part) => part in parts).sort();
  if (found.join("") !== format || names.join() !== "DD,MM,YYYY") {
    throw usageError(`--date-format ${format} must have YYYY, MM and DD once each: DD/MM/YYYY.`);
  }
  const of = (part: string) => parts[part as keyof typeof parts];
  const pattern = found
    .map((part) => of(part)?.pattern ?? part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("");
  return formOf(found.map((part) => of(part)?.example ?? part).join(""), new RegExp(`^${pattern}`));
}

/** 2026-04-17 or 20260417, in every file. */
const isoForm = formOf("2026-04-17", /^(?<year>\d{4})(?<dash>-?)(?<month>\d{2})\k<dash>(?<date>\d{2})(?!\d)/);

function formOf(example: string, pattern: RegExp): DayForm {
  return {
    example,
    read(text) {
      const match = pattern.exec(text);
      if (match === null) return undefined;
      const { year, month = "", date = "" } = match.groups ?? {};
      return {
        day: `${year}-${month.padStart(2, "0")}-${date.padStart(2, "0")}`,
        rest: text.slice(match[0].length),
      };
    },
  };
}

const timePattern =
  /^(?:T|,? +)(?<hour>\d{1,2}):(?<minute>\d{2})(?:(?<second>:\d{2}(?:\.\d{1,6})?)(?:(?<=\.\d{6})\d*)?)?(?: ?(?<half>[AP])\.?M\.?)?(?: ?(?<offset>Z|UTC|[+-]\d{2}:?\d{2}))?$/i;

/**
 * Reads a day, or a day and a time.
 * @param form another form of days that is understood
 * @returns the form that requests have; undefined for any other text
 */
export function readMoment(text: string, form?: DayForm): string | undefined {
  const read = isoForm.read(text) ?? form?.read(text);
  if (read === undefined) return undefined;
  if (read.rest === "") return read.day;
  const match = timePattern.exec(read.rest);
  if (match === null) return undefined;
  const { hour = "", minute, second = "", half, offset } = match.groups ?? {};
  const hours = half === undefined ? Number(hour) : twelveHours(Number(hour), half);
  if (hours === undefined) return undefined;
  return `${read.day} ${String(hours).padStart(2, "0")}:${minute}${second}${offset === undefined ? "" : offsetText(offset)}`;
}

/** A day. Spreadsheets add a time of zeros. */
export function readDay(text: string, form?: DayForm): string | undefined {
  const read = readMoment(text, form);
  return read === undefined
    ? undefined
    : /^.{10}(?: 00:00(?::00(?:\.0+)?)?)?$/.test(read)
      ? read.slice(0, 10)
      : undefined;
}

function twelveHours(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toUpperCase() === "P" ? 12 : 0);
}

function offsetText(offset: string): string {
  if (/^(?:Z|UTC)$/i.test(offset)) return "Z";
  return offset.includes(":") ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}
