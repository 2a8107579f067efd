/** What a person has written into a field, as the value that it means. */
import type { Field } from "../api/declarations.ts";
import { dayExample, readDay } from "./days.ts";
import { decimalMeanings, editedDecimal, parseDecimal } from "./decimals.ts";
import { colon } from "./en/language.ts";
import { texts } from "./en/texts.ts";
import { withoutIsolates } from "./isolated.ts";
import { labelOf } from "./labels.ts";
import { timeExample, typedTime } from "./times.ts";

/** A text as it is sent. One that was copied from a title can have characters that nobody sees. */
export const typedText = (text: string): string => withoutIsolates(text).trim();

/** The decimals of a number: those of the currency for amounts, two for factors, otherwise none. */
export const decimalsOf = ({ unit }: Field, currencyDecimals: number) =>
  unit === "minor_units" ? currencyDecimals : unit === "hundredths" ? 2 : 0;

/** One item per line: words, or records of two fields with a colon between them, such as headers. */
export function typedItems({ items }: Field, text: string) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (items?.properties === undefined) return lines.map((line) => line.trim());
  const [first = "", second = ""] = Object.keys(items.properties);
  return lines.map((line) => {
    const [name = "", ...value] = line.split(":");
    const text = name.trim();
    const isOf = (field: string) => labelOf(field, "import_").toLowerCase() === text.toLowerCase();
    const named = items.properties?.[first]?.names?.find(isOf) ?? text;
    return { [first]: named, [second]: value.join(":").trim() };
  });
}

/** The line of an item. People read and write the label of a field. */
export function itemText({ items }: Field, item: object): string {
  return Object.entries(item)
    .map(([part, value]) =>
      items?.properties?.[part]?.names?.includes(value) ? labelOf(value, "import_") : value,
    )
    .join(colon);
}

/** @returns an error with the text of the problem */
export function typedNumber(field: Field, text: string, decimals: number): number | Error {
  const shown = decimalsOf(field, decimals);
  const number = parseDecimal(text, shown);
  if (number === undefined) {
    const [one, other] = decimalMeanings(text, shown);
    if (one !== undefined && other !== undefined) return new Error(texts.forms.notClear(one, other));
    return new Error(shown === 0 ? texts.forms.wholeNumber : texts.forms.amount(shown));
  }
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = field;
  if (number < minimum) return new Error(texts.forms.atLeast(editedDecimal(minimum, shown)));
  if (number > maximum) return new Error(texts.forms.atMost(editedDecimal(maximum, shown)));
  return number;
}

/** @returns an error with the text of the problem */
export const typedClock = (text: string): string | Error =>
  typedTime(text) ?? new Error(texts.forms.time(timeExample));

/** Whether a field has a time with its day. */
export const hasTime = ({ format }: Field): boolean => format === "moment";

/** Whether a field has a day. */
export const isDay = (field: Field): boolean => field.format === "date" || hasTime(field);

/** @returns an error with the text of the problem */
export function typedMoment(field: Field, text: string): string | Error {
  const withTime = hasTime(field);
  const [read, example] = [readDay(text, withTime), dayExample(withTime)];
  if (read !== undefined) return read ?? new Error(texts.forms.noDay(example, withTime));
  const { day, dayAlone } = texts.forms;
  return new Error((readDay(text, true) === undefined ? day : dayAlone)(example));
}
