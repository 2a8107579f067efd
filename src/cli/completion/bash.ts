import type { CommandTree, CompletedOption } from "./command-tree.ts";

/** A completion script for bash. */
export function bashScript(tree: CommandTree): string {
  return `# Completion of loyalty for bash, made by: loyalty completion bash
_loyalty() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$command \${COMP_WORDS[at]}" in
${paths(tree)
  .map((path) => `      "${path}") command="${path}" ;;`)
  .join("\n")}
    esac
  done
  COMPREPLY=()
  case "$command:$before" in
${valueCases(tree).join("\n")}
  esac
  case "$command" in
${walk(tree)
  .map(({ path, node }) => `    "${path}") ${candidates(node)} ;;`)
  .join("\n")}
  esac
}
complete -F _loyalty loyalty
`;
}

interface Place {
  /** Its words after the program's, each after a space. */
  readonly path: string;
  readonly node: CommandTree;
}

function walk(node: CommandTree, path = ""): Place[] {
  return [{ path, node }, ...node.commands.flatMap((child) => walk(child, `${path} ${child.name}`))];
}

function paths(tree: CommandTree): string[] {
  return walk(tree)
    .map(({ path }) => path)
    .filter((path) => path !== "");
}

function valueCases(tree: CommandTree): string[] {
  return walk(tree).flatMap(({ path, node }) =>
    node.options
      .filter(({ values }) => values !== "none")
      .map(
        (option) => `    ${option.flags.map((flag) => `"${path}:${flag}"`).join("|")}) ${values(option)} ;;`,
      ),
  );
}

function values({ values }: CompletedOption): string {
  if (values === "file") return 'COMPREPLY=($(compgen -f -- "$word")); return';
  if (typeof values === "string") return "return";
  return `COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$word")); return`;
}

function candidates({ commands, options, words }: CommandTree): string {
  const flags = options.flatMap((option) => option.flags.filter((flag) => flag.startsWith("--")));
  const own = [...commands.map(({ name }) => name), ...(Array.isArray(words) ? words : [])];
  const files = words === "file" ? ' $(compgen -f -- "$word")' : "";
  // Options are many: they show once a dash is typed, or when there is nothing else.
  const plain = own.length === 0 && files === "" ? flags : own;
  return (
    `if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "${flags.join(" ")}" -- "$word")); ` +
    `else COMPREPLY=($(compgen -W "${plain.join(" ")}" -- "$word")${files}); fi`
  );
}
