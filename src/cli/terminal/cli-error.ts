/** The failure of a command: its exit code, message and advice. */

export const exitCodes = {
  done: 0,
  /** The service rejected the request, or a check found a problem. */
  failed: 1,
  /** The command line or a field in it is invalid. */
  usage: 2,
  /** The service does not respond, or is unavailable. */
  unreachable: 3,
  /** The operator key is missing or wrong. */
  unauthorized: 4,
  /** An import finished, but lines were rejected. */
  linesRejected: 5,
  /** Ended by Ctrl-C or SIGTERM. The number is that of shells for Ctrl-C: 128 and the number of the signal. */
  interrupted: 130,
} as const;

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the command. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** Lines that say what to do next. */
  readonly advice: readonly string[];
  /** The error of the service, for --json. */
  readonly response:
    | { readonly code: string; readonly details: object; readonly message?: string }
    | undefined;

  constructor(
    exitCode: ExitCode,
    message: string,
    advice: readonly string[] = [],
    response?: CliError["response"],
  ) {
    super(message);
    this.exitCode = exitCode;
    this.advice = advice;
    this.response = response;
  }
}

export function usageError(message: string, ...advice: string[]): CliError {
  return new CliError(exitCodes.usage, message, advice);
}
