/** How a command fails: its exit code, what it says, and the advice. */

/** How the command ends, for scripts. */
export const exitCodes = {
  done: 0,
  /** The service said no, or a check found something wrong. */
  failed: 1,
  /** The command line is wrong, or a field in it. */
  usage: 2,
  /** The service does not respond, or is unavailable. */
  unreachable: 3,
  /** There is no operator key, or not the right one. */
  unauthorized: 4,
  /** An import is through, but lines were rejected. */
  linesRejected: 5,
  /** Ended by Ctrl-C, as shells have it (128 and the number of the signal), or asked to end by SIGTERM. */
  interrupted: 130,
} as const;

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the command. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** What to do next, a line each. */
  readonly advice: readonly string[];
  /** The error of the service, for --json. */
  readonly answer: { readonly code: string; readonly details: object; readonly message?: string } | undefined;

  constructor(
    exitCode: ExitCode,
    message: string,
    advice: readonly string[] = [],
    answer?: CliError["answer"],
  ) {
    super(message);
    this.exitCode = exitCode;
    this.advice = advice;
    this.answer = answer;
  }
}

/** An error in the command line. */
export function usageError(message: string, ...advice: string[]): CliError {
  return new CliError(exitCodes.usage, message, advice);
}
