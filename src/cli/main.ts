#!/usr/bin/env node
import { CommanderError } from "commander";
import { SettingFileError } from "../credentials/secret-files.ts";
/** The `loyalty` command. */
import { CliError, exitCodes, usageError } from "./cli-error.ts";
import { createProgram, wantsJson } from "./program.ts";
import { readEnvironmentFile } from "./service/environment.ts";
import { endWhenUnread, printable } from "./terminal/terminal.ts";

async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) endWhenUnread(stream);
  try {
    const fromFile = readEnvironmentFile(process.env);
    await createProgram(fromFile).parseAsync();
  } catch (error) {
    const isSetting = error instanceof SettingFileError;
    process.exitCode = report(isSetting ? new CliError(exitCodes.usage, error.message) : error);
  }
}

/** Says what went wrong. @returns the exit code */
function report(error: unknown): number {
  const failure = failureOf(error);
  const say = (text: string) => process.stderr.write(`${text}\n`);
  if (failure === undefined) return exitCodes.done;
  if (wantsJson()) say(JSON.stringify(failureAnswer(failure)));
  // Commander has said what there is to say.
  else if (error instanceof CommanderError) return failure.exitCode;
  else if (error instanceof CliError)
    for (const line of [error.message, ...error.advice]) say(printable(line));
  else say(`The command failed: ${error instanceof Error ? error.stack : String(error)}`);
  return failure.exitCode;
}

function failureOf(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (!(error instanceof CommanderError)) {
    return new CliError(
      exitCodes.failed,
      `The command failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (error.exitCode === 0) return undefined;
  // That is all it says where it shows the help of a group of commands.
  if (error.code === "commander.help") return usageError("There is no command.", "See: loyalty --help");
  const [message = "", ...advice] = error.message.replace(/^error: /, "").split("\n");
  return usageError(message, ...advice);
}

/** The JSON of a failure. Its code is the service's, or says whether the command line is wrong or the command failed. */
function failureAnswer({ message, advice, answer, exitCode }: CliError): object {
  const ownCode = exitCode === exitCodes.usage ? "usage" : "command_failed";
  const { code = ownCode, details = {} } = answer ?? {};
  return { success: false, message: answer?.message ?? message, advice, error: { code, details } };
}

await main();
