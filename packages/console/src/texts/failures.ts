/** What a failure is called, and what is wrong with a field. */
import { NoResponse, Rejection } from "../api/client.ts";
import { texts } from "./en/texts.ts";
import { choiceText, forPeople, labelOf } from "./labels.ts";

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
export function problemText({ field, message }: Problem): string {
  const [whole = "", ...parts] = field.split(".");
  const words = parts.map((part) =>
    /^\d+$/.test(part) ? ` ${Number(part) + 1}` : `, ${labelOf(part).toLowerCase()}`,
  );
  return forPeople(message.replace(field, labelOf(whole) + words.join("")));
}

/** The log keeps the names of fields that operations have. Another one, which it shows as ?, may be personal data. */
export function requestProblemText({ field, code }: Pick<Problem, "field" | "code">): string {
  if (field.split(".").includes("?")) return texts.requests.unknownField;
  if (code === "unknown_field") return texts.requests.fieldOfOthers(field);
  return `${field || texts.requests.whole}: ${choiceText(code).toLowerCase()}`;
}

/** What the manager can do in the console after an error of a partner, by the scope that its operation needs. */
export function adviceText(error_code: string, scope: string, meaning: string): string | undefined {
  const own = texts.requests.advice as Readonly<Record<string, ((...scope: string[]) => string) | undefined>>;
  return own[error_code]?.(scope, meaning);
}
