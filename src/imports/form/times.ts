/** Reads days and times as files have them. The service checks that they exist. */
import { isDay } from "../../domain/dates.ts";
import { FileProblem } from "../file/file-problem.ts";

/** Reads the day at the beginning of a text. */
export interface DayForm {
  /** A day in this form, for messages. */
  readonly example: string;
  /** As date_format says it. */
  readonly format: string;
  read(text: string): { day: string; rest: string } | undefined;
}

const parts = {
  YYYY: { pattern: "(?<year>\\d{4})", example: "2026" },
  YY: { pattern: "(?<year>\\d{2})", example: "26" },
  MM: { pattern: "(?<month>\\d{1,2})", example: "04" },
  DD: { pattern: "(?<date>\\d{1,2})", example: "17" },
} as const;

/**
 * Makes the form of a value of date_format.
 * @param format such as DD/MM/YYYY
 * @throws FileProblem when it does not have each part once
 */
export function dayForm(format: string): DayForm {
  const found = format.match(/YYYY|YY|MM|DD|[^YMD]+/g) ?? [];
  const names = found.filter((part) => part in parts).sort();
  if (found.join("") !== format || !/^DD,MM,YY(?:YY)?$/.test(names.join())) {
    throw new FileProblem(
      `date_format ${format} must have YYYY, MM and DD once each, or YY for YYYY: DD/MM/YYYY.`,
    );
  }
  const of = (part: string) => parts[part as keyof typeof parts];
  const pattern = found
    .map((part) => of(part)?.pattern ?? part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("");
  const example = found.map((part) => of(part)?.example ?? part).join("");
  return formOf(example, new RegExp(`^${pattern}(?!\\d)`), format);
}

/** 2026-04-17 or 20260417, in every file where they don't have the form that was said. */
const isoForm = formOf(
  "2026-04-17",
  /^(?<year>\d{4})(?<dash>-?)(?<month>\d{2})\k<dash>(?<date>\d{2})(?!\d)/,
  "YYYY-MM-DD",
);

/** How the names of months begin in the languages whose columns are known, without accents. */
const months = [
  ...["jan|ene|gen", "feb|fev", "mar|mrz", "apr|abr|avr", "may|mai|mag", "jun|juin|giu", "jul|juil|lug"],
  ...["aug|ago|aou", "sep|set", "oct|okt|ott|out", "nov", "dec|dez|dic"],
].map((beginnings) => new RegExp(`^(?:${beginnings})`));
const named = "(?<name>\\p{L}{3,})\\.?";
const yearText = "(?<year>\\d{4}|\\d{2})";
/** Dec 15, 1973, 15-DEC-73, 15 de diciembre de 1973 or 1973年12月15日, in every file, as 1973-12-15. */
const namedDays = [
  `${named} (?<date>\\d{1,2}),? ${yearText}`,
  `(?<date>\\d{1,2})(?:er|º|\\.)?(?: de |[ -])${named}(?: de |,? |-)${yearText}`,
].map((pattern) => new RegExp(`^${pattern}(?!\\d)`, "u"));
const asianDay = /^(\d{4})[年년] ?(\d{1,2})[月월] ?(\d{1,2})[日일]/;

/** How the names of days of the week begin in these languages, and what can follow them. */
const weekday =
  /^(?:mo|tu|we|th|fr|sa|sá|su|di|mi|do|so|lu|ma|me|je|ve|ju|vi|gi|se|qu)\p{L}*\.?,? +(?=\d|\p{L}{3,}\.? \d)/iu;

/** Without the day of the week before a day: "Mi. 31.12.2025". Mar 5, 2026 begins with a month. */
function withoutWeekday(text: string): string {
  const rest = text.replace(weekday, "");
  const isDay = dayText.test(rest) || isoForm.read(rest) !== undefined || withNumbers(rest) !== rest;
  return isDay ? rest : text;
}

function withNumbers(text: string): string {
  const [all = "", ...asian] = asianDay.exec(text) ?? [];
  if (all !== "") return asian.map((part) => part.padStart(2, "0")).join("-") + text.slice(all.length);
  for (const pattern of namedDays) {
    const { name = "", date = "", year } = pattern.exec(text)?.groups ?? {};
    const letters = name.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
    const month = months.findIndex((begins) => begins.test(letters)) + 1;
    if (year === undefined || month === 0) continue;
    const day = [yearOf(year), String(month).padStart(2, "0"), date.padStart(2, "0")];
    return text.replace(pattern, day.join("-"));
  }
  return text;
}

function formOf(example: string, pattern: RegExp, format: string): DayForm {
  return {
    example,
    format,
    read(text) {
      const match = pattern.exec(text);
      if (match === null) return undefined;
      const { year = "", month = "", date = "" } = match.groups ?? {};
      return {
        day: `${yearOf(year)}-${month.padStart(2, "0")}-${date.padStart(2, "0")}`,
        rest: text.slice(match[0].length),
      };
    },
  };
}

/** Two digits are of 1970 to 2069. */
const yearOf = (digits: string) =>
  digits.length === 4 ? digits : `${Number(digits) >= 70 ? "19" : "20"}${digits}`;

/** The form of a day of three numbers: the parts in their order, and the sign between them. */
const dayText = /^(?<first>\d{1,4})(?<sign>[/.-])(?<second>\d{1,2})\k<sign>(?<third>\d{4}|\d{2})(?!\d)/;
const orders = ["DD MM YYYY", "MM DD YYYY", "DD MM YY", "MM DD YY", "YYYY MM DD", "YY MM DD"];
const formsBySign = new Map(
  ["/", ".", "-"].map((sign) => [sign, orders.map((order) => dayForm(order.replaceAll(" ", sign)))] as const),
);

/** The forms in which a text begins with a day that can exist, such as DD/MM/YYYY. None for a text that is read in every file. */
export function formsOfDay(written: string): string[] {
  const text = withoutWeekday(written);
  if (isoForm.read(text) !== undefined) return [];
  const forms = formsBySign.get(dayText.exec(text)?.groups?.sign ?? "") ?? [];
  return forms.filter((form) => isDay(form.read(text)?.day ?? "")).map(({ format }) => format);
}

const isYearFirst = (format: string) => /^YY\W/.test(format);

/** Finds the form of the days in a column, from all of them. It keeps one text for each form. */
export class FormOfDays {
  /** The forms that some day has alone, with the first one. */
  readonly #seen = new Map<string, string>();
  #unclear: string | undefined;
  #unclearForms: readonly string[] = [];
  /** Days of three numbers with two digits each: the years that they have if these are first, or last. */
  readonly #short = { first: new Set<number>(), last: new Set<number>(), where: "", yearFirst: "" };
  #isFirstPossible = true;

  add(text: string, line: number): void {
    const all = formsOfDay(text);
    const { first = "", sign = "", third = "" } = dayText.exec(withoutWeekday(text))?.groups ?? {};
    if (all.length > 0 && first.length === 2 && third.length === 2) {
      this.#short.first.add(Number(first));
      this.#short.last.add(Number(third));
      this.#short.where ||= `${text} in line ${line}`;
      this.#short.yearFirst = ["YY", "MM", "DD"].join(sign);
      this.#isFirstPossible &&= all.some(isYearFirst);
    }
    const forms = all.length === 1 ? all : all.filter((form) => !isYearFirst(form));
    const [only, ...others] = forms;
    if (only === undefined) return;
    const where = `${text} in line ${line}`;
    if (others.length === 0) {
      if (!this.#seen.has(only)) this.#seen.set(only, where);
    } else if (this.#unclear === undefined) [this.#unclear, this.#unclearForms] = [where, forms];
  }

  /**
   * Whether years of two digits are the first or the last numbers: first, if all of them are recent then and there are fewer than
   * otherwise; last, if only so they are recent, or there are fewer. Undefined if neither is clear.
   */
  get #yearIs(): "first" | "last" | undefined {
    const { first, last } = this.#short;
    if (first.size === 0 || !this.#isFirstPossible) return "last";
    const year = new Date().getUTCFullYear() % 100;
    const [isFirst, isLast] = [first, last].map((years) =>
      [...years].every((one) => one <= year && one > year - 3),
    );
    if (isLast) return isFirst ? undefined : "last";
    if (first.size > last.size) return "last";
    return isFirst && first.size < last.size ? "first" : undefined;
  }

  /** Undefined if no day tells, or some tell one form and some another. */
  get form(): DayForm | undefined {
    const year = this.#yearIs;
    if (year !== "last") return year && dayForm(this.#short.yearFirst);
    const [format, ...others] = this.#seen.keys();
    return format === undefined || others.length > 0 ? undefined : dayForm(format);
  }

  /** What was found, for people; undefined if all days have the form of every file. */
  text(field: string): string | undefined {
    const [year, { yearFirst, where: short }] = [this.#yearIs, this.#short];
    if (year === "first") return `Days of ${field} are ${yearFirst} (${short}).`;
    if (year === undefined) {
      const others = [...new Set([...this.#seen.keys(), ...this.#unclearForms])];
      return `Days of ${field} can be ${[...others, yearFirst].join(" or ")} (${short}), and none tells which.`;
    }
    const found = [...this.#seen].map(([format, where]) => `${format} (${where})`);
    if (found.length === 1) return `Days of ${field} are ${found[0]}.`;
    if (found.length > 1) return `Some days of ${field} are ${found.join(", some ")}.`;
    if (this.#unclear === undefined) return undefined;
    return `Days of ${field} can be ${this.#unclearForms.join(" or ")} (${this.#unclear}), and none tells which.`;
  }
}

/** 18:30, 18.30, 18h30, 183000, 6:30 PM or 6:30 p. m., with an offset. */
const timePattern =
  /^(?:T|,? +)(?<hour>\d{1,2})(?<sign>[:.]| ?h ?)(?<minute>\d{2})(?:\k<sign>(?<second>\d{2}(?:[.,]\d{1,6})?)(?:(?<=[.,]\d{6})\d*)?)?(?:\s?(?<half>[AP])\.?\s?M\.?)?(?: ?Uhr| ?h)?(?: ?(?<offset>[A-Z]{1,4}|[+-]\d{2}:?\d{2}))?$/i;
const digitsOfTime = /^T? *(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})?$/;
const fullHour = /^,? +(?<hour>[01]?\d|2[0-3]) ?(?:h|Uhr)$/i;
/** Words before a time, a dot behind a day, and the day that spreadsheets give a time alone. */
const beforeTime =
  /^\.?,? *(?:um|at|à|a las|alle|kl\.?|[-–]|30[./-]12[./-]1899|12[./-]30[./-]1899|1899-12-30)(?= )/i;

/** Names of zones behind times. Several have two meanings, and some are printed all year, so they stand for the zone of the business. */
const namedZones = /^(?:WES?T|BST|CES?T|MEZ|MESZ|EES?T|JST|AES?T|AEDT|[AECMP][SD]T)$/i;

/** Reads the day at the beginning of a text. @param form the form of days that was said or found */
export function readDayOf(written: string, form?: DayForm): ReturnType<DayForm["read"]> {
  const own = withoutWeekday(written);
  const text = withNumbers(own);
  // The form that was said comes first: 17042026 is also eight digits.
  return (text === own ? form?.read(text) : undefined) ?? isoForm.read(text);
}

/**
 * Reads a day, or a day and a time.
 * @param form another form of days that is understood
 * @returns the form that requests have; undefined for any other text
 */
export function readMoment(written: string, form?: DayForm): string | undefined {
  const read = readDayOf(written, form);
  if (read === undefined) return undefined;
  const time = read.rest.replace(beforeTime, "").replace(/^\.(?= |$)/, "");
  if (time === "") return read.day;
  const match = timePattern.exec(time) ?? digitsOfTime.exec(time) ?? fullHour.exec(time);
  if (match === null) return undefined;
  const { hour = "", minute = "00", second, half, offset } = match.groups ?? {};
  const hours = half === undefined ? Number(hour) : twelveHours(Number(hour), half);
  const zone = offset === undefined ? "" : offsetText(offset);
  if (hours === undefined || zone === undefined) return undefined;
  const seconds = second === undefined ? "" : `:${second.replace(",", ".")}`;
  return `${read.day} ${String(hours).padStart(2, "0")}:${minute}${seconds}${zone}`;
}

/** Zones of the IANA by the names that systems of shops give them. */
const zones: Readonly<Record<string, string>> = {
  "Eastern Time (US & Canada)": "America/New_York",
  "Central Time (US & Canada)": "America/Chicago",
  "Mountain Time (US & Canada)": "America/Denver",
  "Pacific Time (US & Canada)": "America/Los_Angeles",
  "Atlantic Time (Canada)": "America/Halifax",
  Arizona: "America/Phoenix",
  Alaska: "America/Anchorage",
  Hawaii: "Pacific/Honolulu",
  London: "Europe/London",
  Dublin: "Europe/Dublin",
  Paris: "Europe/Paris",
  Madrid: "Europe/Madrid",
  Tokyo: "Asia/Tokyo",
  Sydney: "Australia/Sydney",
  Melbourne: "Australia/Melbourne",
  Brisbane: "Australia/Brisbane",
  Perth: "Australia/Perth",
};

export const zoneOf = (text: string) => zones[text] ?? text;

/** A day. Spreadsheets add a time of zeros. */
export function readDay(text: string, form?: DayForm): string | undefined {
  const read = readMoment(text, form);
  return read === undefined
    ? undefined
    : /^.{10}(?: 00:00(?::00(?:\.0+)?)?)?$/.test(read)
      ? read.slice(0, 10)
      : undefined;
}

/** Magento writes AM and PM behind hours of 24, too: 14:30:00 PM. */
function twelveHours(hour: number, half: string): number | undefined {
  const isLate = half.toUpperCase() === "P";
  if (hour > 12 || hour === 0) return isLate === hour > 12 ? hour : undefined;
  return (hour % 12) + (isLate ? 12 : 0);
}

/** @returns undefined for the name of a zone that is not known */
function offsetText(offset: string): string | undefined {
  if (/^(?:Z|UTC|GMT)$/i.test(offset)) return "Z";
  if (/^[A-Z]/i.test(offset)) return namedZones.test(offset) ? "" : undefined;
  return offset.includes(":") ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}
