/** For commands that work on the files of the embedded database, not through the service. */
import { resolve } from "node:path";
import { OperatorError } from "../domain/operator-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { CliError, usageError } from "./failure.ts";

/** @throws CliError when the service is set up with a database of another's */
export function embeddedDataDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  command: string,
): string {
  if (environment.DATABASE_URL?.trim()) {
    throw usageError(
      `${command} is for the database that the service runs itself, and DATABASE_URL names another.`,
      "Use the tools of that PostgreSQL: pg_basebackup and its log for a backup of the server, pg_dump and pg_restore",
      "for this database alone. Keep LOYALTY_SECRET and LOYALTY_OPERATOR_KEY, too.",
    );
  }
  return resolve(environment.LOYALTY_DATA_DIR?.trim() || "data");
}

/** Does something that Ctrl-C gives up, tidily. @throws CliError for what the operator can do something about */
export async function interruptible<Result>(act: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  try {
    return await act(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new CliError(exitCodes.interrupted, "Interrupted.");
    if (error instanceof OperatorError) {
      throw new CliError(exitCodes.failed, error.message);
    }
    throw error;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  }
}
