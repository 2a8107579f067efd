/** `loyalty completion`: makes the tab key work. The scripts ask the hidden command `loyalty __complete` for candidates. */
import { Argument, Command, type Option } from "commander";
import { exampleText } from "../operations/examples.ts";

const bash = `# Completion of loyalty for bash, made by: loyalty completion bash
_loyalty() {
  local word="\${COMP_WORDS[COMP_CWORD]}" line IFS=$'\\n'
  COMPREPLY=()
  while read -r line; do
    if [[ $line == :files ]]; then COMPREPLY+=($(compgen -f -- "$word")); else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <(loyalty __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _loyalty loyalty
`;

const zsh = `#compdef loyalty
# Completion of loyalty for zsh, made by: loyalty completion zsh
_loyalty() {
  local line files
  local -a found
  for line in "\${(@f)$(loyalty __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then files=1
    elif [[ -n $line ]]; then found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  [[ -z $files ]] || _files
  _describe loyalty found
}
if [[ $funcstack[1] == _loyalty ]]; then _loyalty "$@"; else compdef _loyalty loyalty; fi
`;

const fish = `# Completion of loyalty for fish, made by: loyalty completion fish
function __loyalty_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (loyalty __complete -- $words[2..-1] 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c loyalty -f -a '(__loyalty_complete)'
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };

const installing = `
Install it once:
  bash   loyalty completion bash > ~/.local/share/bash-completion/completions/loyalty
  zsh    loyalty completion zsh > "\${fpath[1]}/_loyalty"
  fish   loyalty completion fish > ~/.config/fish/completions/loyalty.fish`;

/** Makes the command that prints a script. */
export function completionCommand(): Command {
  return new Command("completion")
    .summary("Print a completion script for a shell")
    .description("Prints a script with which a shell completes commands, options and their values.")
    .addArgument(new Argument("<shell>", "The shell.").choices(Object.keys(scripts)))
    .addHelpText("after", `${exampleText(["source <(loyalty completion bash)"])}\n${installing}`)
    .action((shell: string) => void process.stdout.write(scripts[shell] ?? ""));
}

const hiddenName = "__complete";

/**
 * Makes the hidden command that prints candidates for the last of its words: one in a line, with a tab and its
 * description. The line `:files` stands for file names.
 * @param program all commands
 */
export function completeCommand(program: Command): Command {
  return new Command(hiddenName)
    .summary("Print candidates for a shell")
    .description("Prints candidates for the last word, for the scripts of loyalty completion.")
    .addArgument(new Argument("[words...]", "The words after loyalty, up to the cursor."))
    .addHelpText("after", exampleText([`loyalty ${hiddenName} -- member li`]))
    .action((words: string[]) => {
      const current = words.at(-1) ?? "";
      const found = candidates(program, words.slice(0, -1), current.startsWith("-"));
      const fitting = found.filter(([text]) => text === files || text.startsWith(current));
      process.stdout.write(fitting.map((columns) => `${columns.join("\t")}\n`).join(""));
    });
}

const files = ":files";
type Candidate = readonly [text: string, description: string] | readonly [typeof files];

/** @param isOption whether the current word begins like an option */
function candidates(program: Command, before: readonly string[], isOption: boolean): Candidate[] {
  let command = program;
  let operands = 0;
  let waiting: Option | undefined;
  for (const word of before) {
    if (waiting !== undefined) waiting = undefined;
    else if (word.startsWith("-")) {
      const option = optionsOf(command).find(({ long, short }) => word === long || word === short);
      waiting = option?.required || option?.optional ? option : undefined;
    } else {
      const child = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (child === undefined) operands += 1;
      command = child ?? command;
    }
  }
  if (waiting !== undefined) return valuesOf(waiting.argChoices, /<file>$/.test(waiting.flags));
  const options = optionsOf(command).map(
    ({ long, description }): Candidate => [long ?? "", firstSentence(description)],
  );
  const flags: Candidate[] = [...options, ["--help", "Show help"]];
  if (isOption) return flags;
  const commands = command.commands
    .filter((child) => child.name() !== hiddenName)
    .map((child): Candidate => [child.name(), firstSentence(child.summary() || child.description())]);
  const argument = command.registeredArguments[operands];
  const words = argument === undefined ? [] : valuesOf(argument.argChoices, true);
  // There are many options: they are shown after a dash, or where nothing else fits.
  return commands.length + words.length > 0 ? [...commands, ...words] : flags;
}

/** The options of a command and of the commands above it; --version belongs to the program alone. */
function optionsOf(command: Command): Option[] {
  const inherited = command.parent === null ? [] : optionsOf(command.parent);
  return [...command.options, ...inherited.filter(({ long }) => long !== "--version")];
}

function valuesOf(choices: readonly string[] | undefined, isFile: boolean): Candidate[] {
  if (choices !== undefined) return choices.map((choice): Candidate => [choice, ""]);
  return isFile ? [[files]] : [];
}

/** A menu has less room than help. */
function firstSentence(text: string): string {
  return text.split(/\. |\.$| \(/, 1)[0] as string;
}
