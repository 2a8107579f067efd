/** `loyalty completion`: scripts for the tab key, which get candidates from the hidden command `loyalty __complete`. */
import { Argument, type Command, type Option } from "commander";
import { maximumPerPage } from "../../domain/pagination.ts";
import { type Context, exampleText, ServiceCommand, subcommand } from "../command.ts";
import { completed } from "../operations/field-options.ts";
import { chooseBusiness } from "../service/businesses.ts";
import { recordName, records } from "../service/command-names.ts";
import type { Row } from "../terminal/table.ts";

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

const hiddenName = "__complete";

const installing = `
Install it once:
  bash   loyalty completion bash > ~/.local/share/bash-completion/completions/loyalty
  zsh    loyalty completion zsh > "\${fpath[1]}/_loyalty"
  fish   loyalty completion fish > ~/.config/fish/completions/loyalty.fish`;

export function completionCommand(): Command {
  return new ServiceCommand("completion")
    .summary("Print a completion script for a shell")
    .description("Prints a script with which a shell completes commands, options and their values.")
    .addArgument(new Argument("<shell>", "The shell.").choices(Object.keys(scripts)))
    .addHelpText("after", `${exampleText(["source <(loyalty completion bash)"])}\n${installing}`)
    .action((shell: string) => void process.stdout.write(scripts[shell] ?? ""));
}

/** Stands for file names. */
const files = ":files";
type Candidate = readonly [text: string, ...description: string[]];

/**
 * Makes the hidden command that prints candidates for the last of its words: one in a line, with a tab and its
 * description. The line `:files` stands for file names.
 * @param program all commands
 */
export function completeCommand(program: Command): Command {
  return new ServiceCommand(hiddenName)
    .summary("Print candidates for a shell")
    .description("Prints candidates for the last word, for the scripts of loyalty completion.")
    .argument("[words...]", "The words after loyalty, up to the cursor.")
    .examples(`loyalty ${hiddenName} -- member li`)
    .act(async (context, _options, words) => {
      const current = words.at(-1) ?? "";
      const found = await candidates(context, program, words);
      const fitting = found.filter(([text]) => text === files || text.startsWith(current));
      process.stdout.write(fitting.map((columns) => `${columns.join("\t")}\n`).join(""));
    });
}

/** @param words the last one is at the cursor */
async function candidates(context: Context, program: Command, words: readonly string[]) {
  let command = program;
  let operands = 0;
  let waiting: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (waiting !== undefined) waiting = undefined;
    else if (word.startsWith("-"))
      waiting = optionsOf(command).find(
        ({ long, short, required, optional }) => (word === long || word === short) && (required || optional),
      );
    else {
      const child = subcommand(command, word);
      if (child === undefined) operands += 1;
      command = child ?? command;
    }
  }
  if (waiting !== undefined) return valuesOf(context, words, waiting);
  const shown = optionsOf(command).filter(({ hidden }) => !hidden);
  const options = shown.map(({ long, description }): Candidate => [long ?? "", firstSentence(description)]);
  const flags: Candidate[] = [...options, ["--help", "Show help"]];
  if (words.at(-1)?.startsWith("-")) return flags;
  const commands = command.commands
    .filter((child) => child.name() !== hiddenName)
    .map((child): Candidate => [child.name(), firstSentence(child.summary() || child.description())]);
  const argument = command.registeredArguments[operands];
  const found = [...commands, ...(argument ? await valuesOf(context, words, argument) : [])];
  // There are many options, so they are shown only after a dash, or if there is nothing else.
  return found.length > 0 || (argument && completed.has(argument)) ? found : flags;
}

/** The options of a command and of the commands above it; --version belongs to the program alone. */
function optionsOf(command: Command): Option[] {
  const inherited = command.parent === null ? [] : optionsOf(command.parent);
  return [...command.options, ...inherited.filter(({ long }) => long !== "--version")];
}

async function valuesOf(
  context: Context,
  words: readonly string[],
  of: Option | Argument,
): Promise<Candidate[]> {
  if (of.argChoices !== undefined) return of.argChoices.map((choice) => [choice, ""]);
  const known = completed.get(of);
  // An argument that is no id names a file.
  if (known === undefined) return "flags" in of && !/<file>$/.test(of.flags) ? [] : [[files]];
  const { field, items } = known;
  const current = words.at(-1) ?? "";
  // The items of a list that are there already.
  const given = field.endsWith("s") ? current.slice(0, current.lastIndexOf(",") + 1) : "";
  const found = items?.map((item): Candidate => [item, ""]) ?? (await ids(context, field, words));
  return found.map(([text, ...description]) => [given + text, ...description]);
}

/** The longest time that the tab key waits. */
const timeoutMilliseconds = 1500;

/** Asks the service for ids with their names. Without a response, there are no candidates. */
async function ids(context: Context, field: string, words: readonly string[]): Promise<Candidate[]> {
  const own = field.replace(/^sandbox_|s$/g, "");
  const noun = records[own]?.noun;
  // There are too many members.
  if (noun === undefined || noun === "members") return [];
  try {
    const client = await context.client();
    const at = words.findIndex((word) => word === "--business" || word === "--business-id");
    const named = at === -1 ? undefined : Number(words[at + 1]);
    const business_id = noun === "businesses" ? undefined : (named ?? (await chooseBusiness(client)));
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const body = { business_id, per_page: maximumPerPage };
    const { data } = await client.call<Row[]>(`/op/${noun}/list`, body, signal);
    return data.map((row) => [String(row[own]), recordName(row)]);
  } catch {
    return [];
  }
}

/** The first sentence of a text, because a menu has less room than help. */
function firstSentence(text: string): string {
  return text.split(/\. |\.$| \(/, 1)[0] as string;
}
