/** For commands that work on the database of the service, not through the service. */
import { resolve } from "node:path";
import { readSetting } from "../../credentials/setting-file.ts";
import type { Place } from "../../database/backup/make.ts";
import { OperatorError } from "../../domain/operator-error.ts";
import { CliError, exitCodes } from "../cli-error.ts";

/** Returns where the environment says the database is, as the service reads it. */
export function placeOf({ DATABASE_URL, DATABASE_URL_FILE, LOYALTY_DATA_DIR }: NodeJS.ProcessEnv): Place {
  return {
    dataDirectory: resolve(LOYALTY_DATA_DIR?.trim() || "data"),
    databaseUrl: readSetting(
      "DATABASE_URL",
      DATABASE_URL?.trim() || undefined,
      DATABASE_URL_FILE?.trim() || undefined,
    ),
  };
}

/** Does something that Ctrl-C ends tidily. @throws CliError for what the operator can do something about */
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
