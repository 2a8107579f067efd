#!/usr/bin/env node
import { CommanderError } from "commander";
import { OperatorError } from "../domain/access/operator-error.ts";
import { createCommandLine, wantsJson } from "./program.ts";
import { CliError, exitCodes, usageError } from "./terminal/cli-error.ts";
import { endWhenUnread, printable } from "./terminal/terminal.ts";

/** Prints an error. @returns the exit code */
function report(error: unknown): number {
  const failure = cliErrorOf(error);
  if (failure === undefined) return exitCodes.done;
  const { message, advice, response, exitCode } = failure;
  const say = (text: string) => process.stderr.write(`${text}\n`);
  if (wantsJson()) {
    // An error of the command itself has one of two codes.
    const ownCode = exitCode === exitCodes.usage ? "usage" : "command_failed";
    const { code = ownCode, details = {} } = response ?? {};
    say(
      JSON.stringify({
        success: false,
        message: response?.message ?? message,
        advice,
        error: { code, details },
      }),
    );
  } else if (!(error instanceof CommanderError)) {
    // Commander prints its errors itself.
    for (const line of [...message.split("\n"), ...advice]) say(printable(line));
  }
  return exitCode;
}

function cliErrorOf(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof OperatorError) return usageError(error.message);
  if (!(error instanceof CommanderError)) {
    const { message, stack } = error instanceof Error ? error : { message: String(error) };
    return new CliError(exitCodes.failed, `The command failed: ${wantsJson() ? message : stack}`);
  }
  if (error.exitCode === 0) return undefined;
  // For a group of commands, commander shows the help and has no message.
  if (error.code === "commander.help") return usageError("There is no command.", "See: loyalty --help");
  const [message = "", ...advice] = error.message.replace(/^error: /, "").split("\n");
  return usageError(message, ...advice);
}

endWhenUnread(process.stdout, ({ code }) =>
  report(new CliError(exitCodes.failed, `Standard output can't be written (${code}).`)),
);
// Nowhere is left to say why.
endWhenUnread(process.stderr, () => exitCodes.failed);
try {
  await createCommandLine().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
