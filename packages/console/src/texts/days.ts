/** Days and times as people write them in the language of the console. */
import { isDay } from "../../../../src/domain/dates.ts";
import { dayText, momentText } from "./dates.ts";
import { language } from "./en/language.ts";
import { texts } from "./en/texts.ts";

type Part = "day" | "month" | "year";

/**
 * The form of days in digits. English is read in every country, and the first language of the browser tells in which one. Browsers
 * have American English besides, also those of people in other countries.
 */
export const digitsFor = (ofBrowser: string): string =>
  language.code === "en" || ofBrowser.startsWith(language.code) ? ofBrowser : language.locale;

/** Reads and writes days. @param locale the language of months @param digitsLocale the one whose order days in digits have */
export function daysIn(locale: string, year: number, digitsLocale = locale) {
  const digits = new Intl.DateTimeFormat(digitsLocale, {
    calendar: "gregory",
    numberingSystem: "latn",
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
    const found =
      (whole && new RegExp(whole).exec(text)) || /^(\d+)[\s./-]+(\d+)[\s./-]+(\d+)\.?$/.exec(text);
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

  /** The value that a text means; null for a day or a time that does not exist, undefined for a text that means none. */
  const readDay = (text: string, withTime = false): string | null | undefined => {
    const [, day = "", hours = "0", minutes = "00", seconds = "00"] =
      /^(.*?)(?:[\s,T]+(\d{1,2})[:h](\d{2})(?::(\d{2}))?)?$/u.exec(text.trim()) ?? [];
    const found = inDigits(day) ?? inWords(day);
    if (found === undefined || (day !== text.trim() && !withTime)) return undefined;
    const [year, month, ofMonth] = isoOrder.map((part) => String(found[part]).padStart(2, "0"));
    const iso = `${year}-${month}-${ofMonth}`;
    if (!isDay(iso) || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
    return withTime ? `${iso} ${hours.padStart(2, "0")}:${minutes}:${seconds}` : iso;
  };
  const typedDay = (text: string, withTime?: boolean) => readDay(text, withTime) ?? undefined;
  /** A day as a field asks for it: the last one of the year. */
  const dayExample = (withTime = false) => digits.format(last) + (withTime ? " 14:30" : "");
  /** What an empty field shows: "DD/MM/YYYY". */
  const dayPattern = (withTime: boolean) => {
    const { time, ...letters }: Readonly<Record<string, string>> = texts.forms.dayPattern;
    const pattern = digits.formatToParts(last).map(({ type, value }) => letters[type] ?? value);
    return pattern.join("") + (withTime ? ` ${time}` : "");
  };
  return { readDay, typedDay, dayExample, dayPattern };
}

const isoOrder = ["year", "month", "day"] as const;

/** Without case, marks and points. */
const plain = (text: string) =>
  text
    .normalize("NFD")
    .replace(/[\p{M}.]/gu, "")
    .toLowerCase();

export const { readDay, typedDay, dayExample, dayPattern } = daysIn(
  language.locale,
  new Date().getUTCFullYear(),
  digitsFor(globalThis.navigator?.language ?? language.locale),
);

/** A value as a field shows it. The month is a word, so that nobody reads it as the day. Another text stays as it is. */
export function editedDay(value: string, withTime = false): string {
  if (typedDay(value, withTime) !== value) return value;
  return withTime ? momentText(value) + value.slice(16).replace(":00", "") : dayText(value);
}

/** A value as the calendar of the browser has it. */
export const pickedDay = (value: string, withTime: boolean): string =>
  typedDay(value, withTime) === value ? value.replace(/:00$/, "").replace(" ", "T") : "";
