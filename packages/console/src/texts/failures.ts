/** What a failure is called, and what is wrong with a field. */
import { NoResponse, Rejection } from "../api/client.ts";
import { texts } from "./en/texts.ts";
import { forPeople, labelOf } from "./labels.ts";

type Problem = Rejection["problems"][number];
type Details = Readonly<Record<string, unknown>>;
type Money = (amount: number) => string;

/** @param money how amounts are written, where a business is known */
export function failureText(error: Error, money: Money = String): string {
  if (error instanceof NoResponse) return texts.failure.noResponse;
  if (!(error instanceof Rejection)) return texts.failure.unexpected;
  const own = (texts.errors as Readonly<Record<string, string | ErrorText | undefined>>)[error.code];
  return typeof own === "function"
    ? own(error.details as Details, money, error.path)
    : (own ?? error.message);
}

type ErrorText = (details: Details, money: Money, path: string) => string;

/** What is wrong with a field. A problem of a part, such as headers.0.name, is one of its field. */
export function problemText({ field, code, message }: Problem): string {
  const [whole = "", ...parts] = field.split(".");
  const words = parts.map((part) =>
    /^\d+$/.test(part) ? ` ${Number(part) + 1}` : `, ${labelOf(part).toLowerCase()}`,
  );
  // A message that does not begin with the field is a sentence that says more.
  const isSentence = !message.startsWith(field);
  const own = isSentence ? undefined : (texts.problems as Readonly<Record<string, string | undefined>>)[code];
  const label = labelOf(whole) + words.join("");
  return own ? `${label}: ${own}` : forPeople(message.replace(field, label));
}
