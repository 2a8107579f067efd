#!/usr/bin/env node
/** The `loyalty` command. */
import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { readEnvironmentFile } from "./environment-file.ts";
import { exitCodes } from "./exit-codes.ts";
import { CliError } from "./failure.ts";
import { createProgram } from "./program.ts";
import { endWhenUnread } from "./terminal/terminal.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) endWhenUnread(stream);
  try {
    const fromFile = readEnvironmentFile(process.env);
    await createProgram(version, fromFile).parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** Says what went wrong. @returns the exit code */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    // It has said what there is to say.
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
  const say = (line: string) => process.stderr.write(`${line}\n`);
  if (error instanceof CliError) {
    if (process.argv.includes("--json")) say(JSON.stringify(failureAnswer(error)));
    else for (const line of [error.message, ...error.advice]) say(line);
    return error.exitCode;
  }
  say(`The command failed: ${error instanceof Error ? error.stack : String(error)}`);
  return exitCodes.failed;
}

function failureAnswer({ message, advice, answer }: CliError): object {
  const { code = "command_failed", details = {} } = answer ?? {};
  return { success: false, message: answer?.message ?? message, advice, error: { code, details } };
}

await main();
