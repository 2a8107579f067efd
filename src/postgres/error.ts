/** Errors of the embedded PostgreSQL, and its log, as lines for the operator. */
import { codeOf } from "../database/faults.ts";
import { OperatorError } from "../domain/access/operator-error.ts";

/** Converts an error of the file system into a message for the operator. Other errors are returned as they are. */
export function explainFailure(error: unknown, dataDirectory: string): unknown {
  const code = codeOf(error);
  if (error instanceof OperatorError || code === "") return error;
  const { message } = error as Error;
  const line = /^(?:EACCES|EPERM|EROFS)$/.test(code)
    ? `cannot write to the data directory ${dataDirectory} (${message}): give the account ` +
      "that runs the service write access, or set LOYALTY_DATA_DIR to a directory that it may write"
    : /^(?:ENOSPC|EDQUOT)$/.test(code)
      ? diskFullLine(dataDirectory)
      : /^(?:EEXIST|ENOTDIR)$/.test(code)
        ? `the data directory ${dataDirectory} is not a directory (${message}): set LOYALTY_DATA_DIR to a directory`
        : `cannot use the data directory ${dataDirectory}: ${message}`;
  return new OperatorError(line, { cause: error });
}

const diskFull =
  /No space left on device|Disk quota exceeded|not enough space on the disk|wrote only \d+ of \d+ bytes/i;

function diskFullLine(dataDirectory: string): string {
  return (
    `the disk that holds the data directory ${dataDirectory} is full: free some space and start again, ` +
    "or set LOYALTY_DATA_DIR to a directory on a larger disk"
  );
}

/**
 * The error for a PostgreSQL program that failed.
 * @param what the failure, such as "PostgreSQL 18.4 did not start"
 * @param lines the output of the program, oldest first, from which the line with the reason is taken
 */
export function explainOutput(what: string, lines: readonly string[], dataDirectory: string): OperatorError {
  const line = reasonIn(lines);
  // Later lines report only the consequences of a full disk. A full /dev/shm reports "no space", too.
  const isDiskFull = lines.some((each) => diskFull.test(each) && !/shared memory/.test(each));
  if (isDiskFull) return new OperatorError(diskFullLine(dataDirectory));
  return new OperatorError(`${what} in ${dataDirectory}: ${line || "it gave no reason"}`);
}

/** Picks the last line that names a failure, or else the last line. Removes the text before the severity. */
function reasonIn(lines: readonly string[]): string {
  const written = lines.map((line) => line.replace(/\s+/g, " ").trim()).filter((line) => line !== "");
  const severe = written.findLast((line) => /\b(?:FATAL|PANIC):/.test(line));
  if (severe !== undefined) return severe.replace(/^.*?(?=FATAL:|PANIC:)/, "");
  return written.findLast((line) => /\berror\b/i.test(line)) ?? written.at(-1) ?? "";
}

/** Lines of some severities, and LOG lines about a process that ended or an action that failed. */
const problems = /^(?:WARNING|FATAL|PANIC):|^LOG: .*(?:was terminated by|exited with exit code|could not)/;

/** Messages that clients get, while PostgreSQL starts or stops. */
const sentToClients = /^(?:WARNING|FATAL): {2}(?:the database system is |terminating connection )/;

/**
 * Returns whether a line of PostgreSQL's log reports a problem that the operator may have to fix. Failed statements (ERROR) don't
 * count, because the service logs them itself.
 * @param line in English, beginning with the severity
 */
export function reportsProblem(line: string): boolean {
  return problems.test(line) && !sentToClients.test(line);
}
