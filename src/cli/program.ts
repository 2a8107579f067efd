/** The command line: all commands, and the options that they share. */
import { type Command, Help } from "commander";
import { operatorOperations } from "../operations/operations.ts";
import { reportLiabilities } from "../operations/operator/reports/liabilities.ts";
import { version } from "../package.ts";
import { ServiceCommand, subcommand } from "./command.ts";
import { backupCommand, restoreCommand } from "./commands/backup.ts";
import { callCommand } from "./commands/call.ts";
import { cellCommand, moveCommand } from "./commands/cell.ts";
import { configCommand } from "./commands/config.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { exportCommand } from "./commands/export.ts";
import { loginCommand, logoutCommand, whoamiCommand } from "./commands/login.ts";
import { rulesCommand } from "./commands/rules.ts";
import { keyCommand, serveCommand, statusCommand } from "./commands/service.ts";
import { verifyCommand } from "./commands/verify.ts";
import { importCommand } from "./import/command.ts";
import { liabilitiesCommand } from "./operations/liabilities.ts";
import { operationCommand } from "./operations/operation-command.ts";
import { aboutNoun, commandGroupOf, commandOfPath, hasCommandOfItsOwn } from "./service/command-names.ts";
import { usageError } from "./terminal/cli-error.ts";
import { wrapText } from "./terminal/terminal.ts";
import { listenCommand } from "./webhooks/listen.ts";
import { triggerCommand } from "./webhooks/trigger.ts";

const overview = `
The service and its key are found by:
  LOYALTY_URL           where the service is, or --url
                        (default: http://127.0.0.1:8080)
  LOYALTY_BASE_PATH     what precedes /op in its paths, unless the address has a
                        path (default: /api)
  LOYALTY_OPERATOR_KEY  the operator key; when it is not set, the session of
                        loyalty login, or else the file operator.key
  LOYALTY_DATA_DIR      in this directory (default: ./data)
  LOYALTY_BUSINESS      the business that commands work on, or --business
  LOYALTY_CELLS         a file with several cells (docs/SCALING.md); commands
                        find the cell of a business
  LOYALTY_INSECURE      1 lets the key go over plain HTTP to another machine, or
                        --insecure
The environment wins over a file .env in this directory. LOYALTY_URL counts
there only together with LOYALTY_OPERATOR_KEY: a file that somebody else wrote
must not say where your key goes.

Exit codes: 0 done; 1 rejected or found wrong; 2 wrong command line or field;
3 service not reachable; 4 no operator key, or the wrong one; 5 imported but for
some lines; 130 interrupted.

Examples:
  loyalty serve
  loyalty business create --name "Café Aurora" --currency EUR
  loyalty integration create --business 1 --name Till --scopes wa.members.read --all-locations
  loyalty member list --business 1 --search lopez --json
  loyalty import sales sales.csv --business 1
  loyalty verify`;

/** Whether --json is given, also in a command line that is wrong. */
export function wantsJson(): boolean {
  return process.argv.includes("--json");
}

export function createCommandLine(): Command {
  const program = new ServiceCommand("loyalty")
    .description("Runs and manages a loyalty service.")
    .version(version, "--version", "Show the version.")
    .helpOption("-h, --help", "Show help.")
    .helpCommand(false)
    .option("--json", "Print the responses of the service as JSON.")
    .option("--url <url>", "The address of the service, instead of LOYALTY_URL.")
    .option("--cell <name>", "The cell that the command is about, of those in the file of LOYALTY_CELLS.")
    .option("--insecure", "Allow sending the operator key to another machine over plain HTTP.")
    .addHelpText("after", overview)
    .configureHelp({
      minWidthToWrap: 20,
      showGlobalOptions: true,
      subcommandTerm: nameAndWords,
      formatItem: termAndText,
    })
    .showHelpAfterError("See: loyalty --help")
    // With --json, all errors are printed as JSON.
    .configureOutput({
      writeErr: (text) => void (wantsJson() || process.stderr.write(withoutDestructiveSuggestion(text))),
    })
    .exitOverride();
  const commands = [
    ...[serveCommand(), statusCommand(), ...operationCommands(), importCommand(), exportCommand()],
    ...[callCommand(), rulesCommand(), verifyCommand(), backupCommand(), restoreCommand(), doctorCommand()],
    ...[cellCommand(), moveCommand()],
    ...[configCommand(), keyCommand(), loginCommand(), logoutCommand(), whoamiCommand()],
    helpCommand(program),
  ];
  for (const command of commands) program.addCommand(command);
  inheritSettings(program);
  return program;
}

/** Removes a suggestion of a destructive command: commander suggests `erase` for `create`. */
function withoutDestructiveSuggestion(text: string): string {
  return text.replace(/\n\(Did you mean (?:delete|erase)\?\)/, "");
}

/** `loyalty help import sales` is `loyalty import sales --help`. */
function helpCommand(program: Command): Command {
  return new ServiceCommand("help")
    .summary("Show help for a command")
    .description("Shows help for the program, or for a command.")
    .argument("[command...]", "The command to show help for.")
    .examples("loyalty help", "loyalty help import sales")
    .action((words: string[]) => {
      let command = program;
      for (const word of words) {
        const found = subcommand(command, word);
        if (found === undefined)
          throw usageError(`There is no command ${words.join(" ")}.`, "See: loyalty --help");
        command = found;
      }
      command.outputHelp();
    });
}

/** An item in a list of help. If the terminal has no room for the text beside the term, it is below it. */
function termAndText(term: string, termWidth: number, text: string, help: Help): string {
  const width = help.helpWidth ?? 80;
  const isWide = width - termWidth - 4 >= help.minWidthToWrap;
  if (isWide || text === "") return Help.prototype.formatItem.call(help, term, termWidth, text, help);
  return `  ${term}\n${wrapText(text, width, "      ")}`;
}

/** A command in a list of help, without its plural. */
function nameAndWords(command: Command): string {
  const words = command.registeredArguments.map((word) =>
    word.required ? ` <${word.name()}>` : ` [${word.name()}]`,
  );
  return command.name() + words.join("");
}

/** A command for each noun, with one for each of its operations. */
function operationCommands(): Command[] {
  const groups = new Map<string, Command>();
  for (const operation of operatorOperations) {
    if (hasCommandOfItsOwn(operation.path)) continue;
    const words = commandOfPath(operation.path);
    const noun = words.slice(0, -1).join(" ");
    const plural = commandGroupOf(operation.path);
    const name = words.at(-2) ?? "";
    const group =
      groups.get(noun) ??
      (plural === noun || words.length > 2
        ? new ServiceCommand(name)
        : new ServiceCommand(name).alias(plural));
    const command = operation === reportLiabilities ? liabilitiesCommand() : operationCommand(operation);
    // Without a verb, a noun that has only lists is its list: loyalty requests --since 1h.
    const isDefault = command.name() === "list" && hasOnlyLists(plural);
    group.addCommand(command, { isDefault });
    const verbs = group.commands.map((command) => command.name()).join(", ");
    groups.set(noun, group.description(`${aboutNoun(plural)}: ${verbs}`));
  }
  const webhooks = groups.get("webhook") ?? new ServiceCommand("webhook").alias("webhooks");
  for (const command of [listenCommand(), triggerCommand()]) webhooks.addCommand(command);
  const verbs = webhooks.commands.map((command) => command.name()).join(", ");
  groups.set("webhook", webhooks.description(`${aboutNoun("webhooks")}: ${verbs}`));
  // A group such as `operator key` is below another one.
  for (const [noun, group] of groups) groups.get(noun.replace(/ ?\S+$/, ""))?.addCommand(group);
  return [...groups].filter(([noun]) => !noun.includes(" ")).map(([, group]) => group);
}

const hasOnlyLists = (noun: string) =>
  operatorOperations.every(
    (operation) => operation.kind === "list" || commandGroupOf(operation.path) !== noun,
  );

/** Copies the settings of a command to those below it. Commander does so only for commands that it makes itself. */
function inheritSettings(parent: Command, words = parent.name()): void {
  for (const command of parent.commands) {
    const path = `${words} ${command.name()}`;
    command.copyInheritedSettings(parent).showHelpAfterError(`See: ${path} --help`).helpCommand(false);
    inheritSettings(command, path);
  }
}
