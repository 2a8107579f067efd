/** The commands as completion sees them. */
import type { Command, Option } from "commander";

export interface CompletedOption {
  readonly flags: readonly string[];
  readonly description: string;
  /** What may follow: one of these, a file, something nobody can guess, or nothing. */
  readonly values: readonly string[] | "file" | "any" | "none";
}

export interface CommandTree {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** What its words may be: one of these, a file, or nothing. */
  readonly words: readonly string[] | "file" | "none";
  readonly commands: readonly CommandTree[];
}

/** Reads the tree of commands, each with the options of every command. */
export function treeOf(command: Command, inherited: readonly CompletedOption[] = []): CommandTree {
  const own = command.options.filter(({ hidden }) => !hidden).map(completedOption);
  const options = [...own, ...inherited];
  const isProgram = command.parent === null;
  const help = { flags: ["--help"], description: "Show help.", values: "none" } as const;
  // The version is asked of the program alone.
  const handedDown = isProgram
    ? [help, ...own.filter(({ flags }) => !flags.includes("--version"))]
    : inherited;
  return {
    name: command.name(),
    description: firstSentence(command.summary() || command.description()),
    options: isProgram ? [help, ...own] : options,
    words: wordsOf(command),
    commands: command.commands.map((child) => treeOf(child, handedDown)),
  };
}

function completedOption(option: Option): CompletedOption {
  const { long, short, description, argChoices, required, optional } = option;
  const takesValue = required || optional;
  return {
    flags: [long, short].filter((flag) => flag !== undefined),
    description: firstSentence(description),
    values: !takesValue ? "none" : (argChoices ?? (/<file>$/.test(option.flags) ? "file" : "any")),
  };
}

function wordsOf(command: Command): CommandTree["words"] {
  const [argument] = command.registeredArguments;
  if (argument === undefined) return "none";
  return argument.argChoices ?? "file";
}

/** Help has room for more than a menu. */
function firstSentence(text: string): string {
  return text.split(/\. |\.$| \(/, 1)[0] as string;
}
