/** Days and times as people write them in the language of the console. */
import { dayText, momentText } from "./dates.ts";
import { language } from "./en/language.ts";
import { texts } from "./en/texts.ts";

type Part = "day" | "month" | "year";
/** The order of day and month is that of the country, which only the browser knows. */
const locale =
  globalThis.navigator?.languages?.find((one) => one.startsWith(language.code)) ?? language.locale;

/** @param editedDay a day, or a time with its day, as a field shows it; another text stays as it is @param typedDay the value that a text means; undefined for a text that is none @param dayExample a day as a field asks for it, the last one of this year @param dayPattern what an empty field shows: "DD/MM/YYYY" */
export function daysIn(locale: string, year: number) {
  const digits = new Intl.DateTimeFormat(locale, {
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
    timeZone: "UTC",
  });
  const months = new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" });
  const last = Date.UTC(year, 11, 31);
  const order = digits
    .formatToParts(last)
    .flatMap(({ type }) => (/day|month|year/.test(type) ? (type as Part) : []));
  const names = Array.from({ length: 12 }, (_, month) => plain(months.format(Date.UTC(2026, month, 1))));

  /** "31.12.2026", "31122026" and "2026-12-31" in digits. */
  const inDigits = (text: string): Record<Part, number> | undefined => {
    const whole =
      /^\d{8}$/.test(text) && order.map((part) => (part === "year" ? "(\\d{4})" : "(\\d\\d)")).join("");
    const found = (whole && new RegExp(whole).exec(text)) || /^(\d+)\D+(\d+)\D+(\d+)\D*$/.exec(text);
    if (!found) return undefined;
    const parts = found.slice(1).map((one, index) => [order[index], one] as const);
    const [first = ""] = found.slice(1);
    const named =
      first.length === 4 && !whole ? parts.map(([, one], index) => [isoOrder[index], one] as const) : parts;
    // Two digits of a year can mean two centuries.
    if (named.some(([part, one]) => (part === "year") !== (one.length === 4))) return undefined;
    return Object.fromEntries(named.map(([part, one]) => [part, Number(one)])) as Record<Part, number>;
  };

  /** "31 December 2026" and "Dec 31, 2026", with the beginning of the name of a month. */
  const inWords = (text: string): Record<Part, number> | undefined => {
    const [word, other] = plain(text).match(/\p{L}{3,}/gu) ?? [];
    const found = names.flatMap((name, month) => (word && name.startsWith(word) ? month + 1 : []));
    const numbers = text.match(/\d+/g) ?? [];
    const year = numbers.find((one) => one.length === 4);
    const day = numbers.find((one) => one.length < 3);
    if (other || found.length !== 1 || numbers.length !== 2 || !year || !day) return undefined;
    return { day: Number(day), month: found[0] as number, year: Number(year) };
  };

  const typedDay = (text: string, withTime = false): string | undefined => {
    const [, day = "", hours = "0", minutes = "00"] =
      /^(.*?)(?:[\s,T]+(\d{1,2})[:h](\d{2})(?::\d{2})?)?$/u.exec(text.trim()) ?? [];
    const found = inDigits(day) ?? inWords(day);
    if (found === undefined || (day !== text.trim() && !withTime)) return undefined;
    const date = new Date(Date.UTC(found.year, found.month - 1, found.day));
    const isReal = date.getUTCMonth() === found.month - 1 && date.getUTCDate() === found.day;
    if (!isReal || Number(hours) > 23 || Number(minutes) > 59) return undefined;
    const iso = date.toISOString().slice(0, 10);
    return withTime ? `${iso} ${hours.padStart(2, "0")}:${minutes}:00` : iso;
  };
  const dayExample = (withTime = false) => digits.format(last) + (withTime ? " 14:30" : "");
  const dayPattern = (withTime: boolean) => {
    const { time, ...letters }: Readonly<Record<string, string>> = texts.forms.dayPattern;
    const pattern = digits.formatToParts(last).map(({ type, value }) => letters[type] ?? value);
    return pattern.join("") + (withTime ? ` ${time}` : "");
  };
  return { typedDay, dayExample, dayPattern };
}

const isoOrder = ["year", "month", "day"] as const;

/** Without case, marks and points. */
const plain = (text: string) =>
  text
    .normalize("NFD")
    .replace(/[\p{M}.]/gu, "")
    .toLowerCase();

export const { typedDay, dayExample, dayPattern } = daysIn(locale, new Date().getUTCFullYear());

/** A value as a field shows it. The month is a word, so that nobody reads it as the day. */
export function editedDay(value: string, withTime = false): string {
  if (typedDay(value, withTime) !== value) return value;
  return withTime ? momentText(value) : dayText(value);
}

/** A value as the calendar of the browser has it. */
export const pickedDay = (value: string, withTime: boolean): string =>
  typedDay(value, withTime) === value ? value.replace(" ", "T").slice(0, withTime ? 16 : 10) : "";
