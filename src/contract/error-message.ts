/** The message of a rejection, for a reader who sees nothing else: it names the numbers and the fields that decided. */
import type { ErrorDefinition } from "./error-definition.ts";
import { errors, type Rejection } from "./errors.ts";
import type { FieldError } from "./field-errors.ts";

const mostFields = 5;
/** Far below the maximum of a message in the documents. A name of a field can be long. */
const longestMessage = 1000;

export function messageOf({ code, details }: Rejection): string {
  const { message, messages }: ErrorDefinition = errors[code];
  if (code === "validation_failed") return bounded(withFields(message, details.errors), message);
  const { reason, token, ...rest } = details as Readonly<Record<string, unknown>>;
  const exact = messages?.[String(reason ?? token)];
  return exact === undefined
    ? bounded(withDetails(message, details), message)
    : bounded(withDetails(exact, rest), exact);
}

const bounded = (whole: string, message: string) => (whole.length > longestMessage ? message : whole);

/** "Some fields are missing or invalid: amount must be an integer. last_name is required." */
function withFields(message: string, failures: unknown): string {
  const told = (failures as readonly FieldError[]).map((failure) => failure.message);
  const more = told.length > mostFields ? [`And ${told.length - mostFields} more.`] : [];
  return `${message.replace(/\.$/, ":")} ${[...told.slice(0, mostFields), ...more].join(" ")}`;
}

/**
 * A message with the details of the error: "The balance is too low for this debit (balance 3000).", or
 * "Too many requests (retry after 5 s)."
 */
export function withDetails(message: string, details: object): string {
  const known = Object.entries(details).filter(([, value]) => value !== null);
  const told = known.map(([name, value]) => {
    const text = typeof value === "object" ? JSON.stringify(value) : value;
    const [, measured] = /^(.+)_seconds$/.exec(name) ?? [];
    return `${(measured ?? name).replaceAll("_", " ")} ${text}${measured === undefined ? "" : " s"}`;
  });
  return told.length === 0 ? message : `${message.replace(/\.$/, "")} (${told.join(", ")}).`;
}
