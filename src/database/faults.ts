/** Sorts the errors of statements by what the caller can do: retry, report a conflict, or wait. */
import type { DatabaseError } from "pg";

/** The connection was lost or timed out: whether the statement took effect is unknown. */
export class ConnectionLostError extends Error {
  readonly code = "CONNECTION_LOST";
}

/** A commit whose outcome is unknown, such as one that stopped waiting for its standby. */
export class CommitInDoubtError extends Error {
  readonly code = "COMMIT_IN_DOUBT";
}

const retryable = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  // A prepared statement whose plan no longer fits, or that the server has forgotten.
  "0A000", // feature_not_supported
  "26000", // invalid_sql_statement_name
]);

const unavailable = new Set([
  "CONNECTION_LOST",
  "COMMIT_IN_DOUBT",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "25006", // read_only_sql_transaction
  "25P03", // idle_in_transaction_session_timeout
  "55P03", // lock_not_available
  "57014", // query_canceled: the statement timeout
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "58030", // io_error
]);

export type DatabaseFault = "retry" | "conflict" | "unavailable" | "other";

/** The SQLSTATE of a failure, or the code of a network error; empty when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function faultOf(error: unknown): DatabaseFault {
  const code = codeOf(error);
  if (retryable.has(code)) return "retry";
  if (code === "23505") return "conflict";
  // Class 08 is about connections. Class 53 means that memory, the disk or connections are exhausted.
  if (unavailable.has(code) || /^(?:08|53)...$/.test(code)) return "unavailable";
  // The server ends a connection, or accepts none: the password was changed, or the database is closed.
  if (isFromServer(error) && isFatal(error)) return "unavailable";
  // System calls of the network fail with many codes.
  if (error instanceof Error && "syscall" in error) return "unavailable";
  return "other";
}

/** The values that another record has, as PostgreSQL names them; undefined for other failures. */
export const takenBy = (error: unknown): string | undefined =>
  faultOf(error) === "conflict" && isFromServer(error) ? error.detail : undefined;

/**
 * Whether what failed after all attempts can succeed later, so that the caller should retry. A conflict that is still there in the
 * next attempt never goes away.
 */
export function isTransient(error: unknown): boolean {
  const fault = faultOf(error);
  return fault === "retry" || fault === "unavailable";
}

/** Whether the server sent an error. Only its errors have a severity. */
const isFromServer = (error: unknown): error is DatabaseError =>
  error instanceof Error && "severity" in error;

const isFatal = ({ severity }: DatabaseError): boolean => severity === "FATAL" || severity === "PANIC";

/** Whether an error of the driver means that the connection is lost, or has a statement that no longer fits the schema. */
export function breaksConnection(error: unknown): boolean {
  if (!isFromServer(error)) return !(error instanceof RangeError);
  return isFatal(error) || /^(?:0A000|26000)$/.test(codeOf(error));
}

/** Gives the errors of lost connections one code. The errors of TLS and streams have many codes or none. */
export function failureOf(error: Error): Error {
  if (isFromServer(error) || error instanceof RangeError) return error;
  return faultOf(error) === "unavailable" ? error : new ConnectionLostError(error.message, { cause: error });
}

/** The part of a failure that may be logged. The server's detail is left out, because it can quote a row with personal data. */
export function describeFault(error: unknown): {
  code?: string;
  message: string;
  stack?: string | undefined;
} {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack } = error;
  const code = codeOf(error);
  if (code === "") return { message, stack };
  // A data exception (SQLSTATE class 22) quotes the value in its message, which the stack repeats.
  if (/^22...$/.test(code)) return { code, message: "data exception", stack: stack?.split(message).at(-1) };
  return { code, message, stack };
}
