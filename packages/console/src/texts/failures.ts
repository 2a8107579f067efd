/** What a failure is called, and what is wrong with a field. */
import { NoResponse, Rejection } from "../api/client.ts";
import type { Fields } from "../api/declarations.ts";
import { filedDecimal } from "./decimals.ts";
import { colon, phrase } from "./en/language.ts";
import { problemSentences } from "./en/problems.ts";
import { texts } from "./en/texts.ts";
import { forPeople, labelOf } from "./labels.ts";
import { aboutFields } from "./problems.ts";
import { translator } from "./translate.ts";

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

/** What keeps a record from acting. The service says it as the problem of a field. */
export const warningText = (message: string) =>
  problemText({ field: /^[a-z_]+/.exec(message)?.[0] ?? "", code: "", message });

const problemSentence = translator(aboutFields(problemSentences));

/** The field of a form that a problem is about, and the problem. A preview has the field in a record, such as tiers.0.qualifying_sales. */
function formProblem(problem: Problem, fields: Fields, decimals: number) {
  const name = problem.field.split(".").find((part) => part in fields);
  const isAmount = fields[name ?? ""]?.unit === "minor_units";
  return [name, problemText(problem, isAmount ? decimals : 0)] as const;
}

/** The limit in a message. Its other numbers are of places and names, and no amounts. */
const limitOf = /(?<=\bat (?:most|least) (?:your own, )?)\d+/g;

/**
 * What is wrong with a field. A problem of a part, such as headers.0.name, is one of its field.
 * @param decimals of the field, if it is an amount
 */
export function problemText({ field, code, message }: Problem, decimals = 0): string {
  const [whole = "", ...parts] = field.split(".");
  const words = parts.map((part) =>
    /^\d+$/.test(part) ? ` ${Number(part) + 1}` : `, ${phrase(labelOf(part))}`,
  );
  const label = labelOf(whole) + words.join("");
  // A message that does not begin with the field is a sentence that says more.
  const isSentence = !message.startsWith(field);
  const named = field === "" ? message : message.replace(field, label);
  const text =
    decimals > 0 ? named.replace(limitOf, (limit) => filedDecimal(Number(limit), decimals)) : named;
  const said = problemSentence(text);
  if (said !== text) return said;
  const own = isSentence ? undefined : (texts.problems as Readonly<Record<string, string | undefined>>)[code];
  if (own === undefined) return forPeople(text);
  return label === "" ? own : label + colon + own;
}

/** The problems of fields that the form shows, and the failure that it shows as a whole. */
export function problemsOf(error: Error | null, fields: Fields, decimals: number) {
  if (!(error instanceof Rejection)) return { byField: {}, general: error };
  const { fields: conflicting = [] } = error.details as { readonly fields?: readonly string[] };
  const taken = conflicting.map((field) => [field, texts.forms.taken]);
  const invalid = error.problems.map((problem) => formProblem(problem, fields, decimals));
  const all = [...taken, ...invalid];
  const shown = all.filter(([field = ""]) => field in fields);
  const byField: Readonly<Record<string, string>> = Object.fromEntries(shown);
  const isShown = all.length > 0 && Object.keys(byField).length === all.length;
  return { byField, general: isShown ? undefined : error };
}
