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
/** Dec 15, 1973, 15-DEC-73 or 15 de diciembre de 1973, in every file, as 1973-12-15. */
const namedDays = [
  `${named} (?<date>\\d{1,2}),? ${yearText}`,
  `(?<date>\\d{1,2})(?:er|º|\\.)?(?: de |[ -])${named}(?: de |,? |-)${yearText}`,
].map((pattern) => new RegExp(`^${pattern}(?!\\d)`, "u"));

function withNumbers(text: string): string {
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
const orders = ["DD MM YYYY", "MM DD YYYY", "DD MM YY", "MM DD YY", "YYYY MM DD"];
const formsBySign = new Map(
  ["/", ".", "-"].map((sign) => {
    // Only with hyphens do people write short years first.
    const written = [...orders, ...(sign === "-" ? ["YY MM DD"] : [])];
    return [sign, written.map((order) => dayForm(order.replaceAll(" ", sign)))] as const;
  }),
);

/** The forms in which a text begins with a day that can exist, such as DD/MM/YYYY. None for a text that is read in every file. */
export function formsOfDay(text: string): string[] {
  if (isoForm.read(text) !== undefined) return [];
  const forms = formsBySign.get(dayText.exec(text)?.groups?.sign ?? "") ?? [];
  return forms.filter((form) => isDay(form.read(text)?.day ?? "")).map(({ format }) => format);
}

/** Finds the form of the days in a column, from all of them. It keeps one text for each form. */
export class FormOfDays {
  /** The forms that some day has alone, with the first one. */
  readonly #seen = new Map<string, string>();
  #unclear: string | undefined;
  #unclearForms: readonly string[] = [];

  add(text: string, line: number): void {
    const forms = formsOfDay(text);
    const [only, ...others] = forms;
    if (only === undefined) return;
    const where = `${text} in line ${line}`;
    if (others.length === 0) {
      if (!this.#seen.has(only)) this.#seen.set(only, where);
    } else if (this.#unclear === undefined) [this.#unclear, this.#unclearForms] = [where, forms];
  }

  /** Undefined if no day tells, or some tell one form and some another. */
  get form(): DayForm | undefined {
    const [format, ...others] = this.#seen.keys();
    return format === undefined || others.length > 0 ? undefined : dayForm(format);
  }

  /** What was found, for people; undefined if all days have the form of every file. */
  text(field: string): string | undefined {
    const found = [...this.#seen].map(([format, where]) => `${format} (${where})`);
    if (found.length === 1) return `Days of ${field} are ${found[0]}.`;
    if (found.length > 1) return `Some days of ${field} are ${found.join(", some ")}.`;
    if (this.#unclear === undefined) return undefined;
    return `Days of ${field} can be ${this.#unclearForms.join(" or ")} (${this.#unclear}), and none tells which.`;
  }
}

/** 18:30, 18.30, 18h30, 6:30 PM or 6:30 p. m., with an offset. */
const timePattern =
  /^(?:T|,? +)(?<hour>\d{1,2})(?<sign>[:.]| ?h ?)(?<minute>\d{2})(?:\k<sign>(?<second>\d{2}(?:\.\d{1,6})?)(?:(?<=\.\d{6})\d*)?)?(?:\s?(?<half>[AP])\.?\s?M\.?)?(?: Uhr)?(?: ?(?<offset>Z|UTC|[+-]\d{2}:?\d{2}))?$/i;

/** Reads the day at the beginning of a text. @param form the form of days that was said or found */
export function readDayOf(written: string, form?: DayForm): ReturnType<DayForm["read"]> {
  const text = withNumbers(written);
  // The form that was said comes first: 17042026 is also eight digits.
  return (text === written ? form?.read(text) : undefined) ?? isoForm.read(text);
}

/**
 * Reads a day, or a day and a time.
 * @param form another form of days that is understood
 * @returns the form that requests have; undefined for any other text
 */
export function readMoment(written: string, form?: DayForm): string | undefined {
  const read = readDayOf(written, form);
  if (read === undefined) return undefined;
  if (read.rest === "") return read.day;
  const match = timePattern.exec(read.rest);
  if (match === null) return undefined;
  const { hour = "", minute, second, half, offset } = match.groups ?? {};
  const hours = half === undefined ? Number(hour) : twelveHours(Number(hour), half);
  if (hours === undefined) return undefined;
  const seconds = second === undefined ? "" : `:${second}`;
  return `${read.day} ${String(hours).padStart(2, "0")}:${minute}${seconds}${offset === undefined ? "" : offsetText(offset)}`;
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

function offsetText(offset: string): string {
  if (/^(?:Z|UTC)$/i.test(offset)) return "Z";
  return offset.includes(":") ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
}
