/** The failures of cells beside the responses of others. */
import type { ApiResponse } from "loyalty-sdk";
import { CliError } from "../terminal/cli-error.ts";

export interface CellFailure {
  readonly cell: string;
  readonly message: string;
}

export interface Failure extends CellFailure {
  readonly exit_code: CliError["exitCode"];
}

/** The failures behind a list of several cells, which lacks what these cells have. */
export const failuresOf = ({ meta }: Pick<ApiResponse, "meta">) =>
  (meta.failures ?? []) as readonly Failure[];

export const failureText = ({ cell, message }: CellFailure) => `${cell}: ${message}`;

/** @throws CliError for the first failure, if there is one */
export function rejectFailures([failure]: readonly Failure[]): void {
  if (failure === undefined) return;
  const advice = "Name another cell with --cell, or its business with --business.";
  throw new CliError(failure.exit_code, failureText(failure), [advice]);
}
