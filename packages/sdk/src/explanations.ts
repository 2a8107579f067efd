/** What errors say to the person who reads them in a log: what is wrong, and what it may mean. No secrets. */
import type { FieldError } from "./errors.ts";

/** A request may have a thousand wrong fields; a message that is read has room for some. */
const shownFields = 10;

const tlsHint = "https was used for a service that speaks plain http: should baseUrl begin with http://?";
const hostHint = "is the host in baseUrl right?";

/** By the code of the failure, as Node names it. */
const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: "is the service running there?",
  ENOTFOUND: hostHint,
  EAI_AGAIN: hostHint,
  ERR_SSL_WRONG_VERSION_NUMBER: tlsHint,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: tlsHint,
};

/** Why no response came. Node's fetch says only "fetch failed"; what happened is in the cause. */
export function noResponse(url: string, error: unknown): string {
  const { cause, message } = error as { message?: string; cause?: { code?: string; message?: string } };
  const reason = cause?.code ?? cause?.message ?? message ?? String(error);
  const hint = hints[reason];
  return `${url}: no response (${reason})${hint === undefined ? "" : `; ${hint}`}`;
}

/** What the API said, and how to fix the request. */
export function rejected(
  { baseUrl, path }: { readonly baseUrl: string; readonly path: string },
  { status, code, message }: { readonly status: number; readonly code: string; readonly message: string },
  details: Readonly<Record<string, unknown>>,
): string {
  const said = `${path} responded with ${status} ${code}: ${message}`;
  if (code === "operation_not_found") {
    const bare = new URL(baseUrl).pathname === "/";
    return `${said} The URL was ${baseUrl}${path}: ${bare ? "baseUrl probably lacks its base path, such as /api" : "is baseUrl right, with its base path?"}`;
  }
  const failures = fieldErrorsOf(details);
  if (code !== "validation_failed" || failures.length === 0) return said;
  const shown = failures.slice(0, shownFields).map(fieldLine);
  if (failures.length > shown.length) shown.push(`And ${failures.length - shown.length} more.`);
  return `${path} responded with ${status} ${code}: ${shown.join(" ")}`;
}

/** The failures of a response; of one that is not as it should be, those that are. */
function fieldErrorsOf({ errors }: Readonly<Record<string, unknown>>): FieldError[] {
  return Array.isArray(errors) ? errors.filter((error) => typeof error?.message === "string") : [];
}

/** The service's sentence begins with the field's name, unless it is about the whole request. */
function fieldLine({ field, message }: FieldError): string {
  return !field || message.startsWith(field) ? message : `${field}: ${message}`;
}
