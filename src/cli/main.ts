#!/usr/bin/env node
/** The `loyalty` command. */
import { CommanderError } from "commander";
import { OperatorError } from "../domain/operator-error.ts";
import { CliError, exitCodes, usageError } from "./cli-error.ts";
import { createProgram, wantsJson } from "./program.ts";
import { endWhenUnread, printable } from "./terminal/terminal.ts";

/** Says what went wrong. @returns the exit code */
function report(error: unknown): number {
  const failure = failureOf(error);
  if (failure === undefined) return exitCodes.done;
  const { message, advice, answer, exitCode } = failure;
  const say = (text: string) => process.stderr.write(`${text}\n`);
  if (wantsJson()) {
    // The service's code, or whether the command line is wrong or the command failed.
    const ownCode = exitCode === exitCodes.usage ? "usage" : "command_failed";
    const { code = ownCode, details = {} } = answer ?? {};
    say(
      JSON.stringify({
        success: false,
        message: answer?.message ?? message,
        advice,
        error: { code, details },
      }),
    );
  } else if (!(error instanceof CommanderError)) {
    // Commander has said what there is to say.
    for (const line of [...message.split("\n"), ...advice]) say(printable(line));
  }
  return exitCode;
}

function failureOf(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof OperatorError) return usageError(error.message);
  if (!(error instanceof CommanderError)) {
    const { message, stack } = error instanceof Error ? error : { message: String(error) };
    return new CliError(exitCodes.failed, `The command failed: ${wantsJson() ? message : stack}`);
  }
  if (error.exitCode === 0) return undefined;
  // That is all it says where it shows the help of a group of commands.
  if (error.code === "commander.help") return usageError("There is no command.", "See: loyalty --help");
  const [message = "", ...advice] = error.message.replace(/^error: /, "").split("\n");
  return usageError(message, ...advice);
}

for (const stream of [process.stdout, process.stderr]) endWhenUnread(stream);
try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
