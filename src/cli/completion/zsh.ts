import type { CommandTree, CompletedOption } from "./command-tree.ts";

/** A completion script for zsh: a function for each command. */
export function zshScript(tree: CommandTree): string {
  return `#compdef loyalty
# Completion of loyalty for zsh, made by: loyalty completion zsh
${functionsOf(tree, "_loyalty").join("\n")}
if [[ $funcstack[1] == _loyalty ]]; then _loyalty "$@"; else compdef _loyalty loyalty; fi
`;
}

function functionsOf(node: CommandTree, name: string): string[] {
  const { commands, options, words } = node;
  const specs = options.map(optionSpec);
  if (commands.length === 0) {
    return [`${name}() {\n  _arguments -s ${[...specs, ...wordSpec(words)].join(" \\\n    ")}\n}\n`];
  }
  const list = commands.map(
    (child) => `    ${quoted(`${child.name}:${child.description.replaceAll(":", "\\:")}`)}`,
  );
  const cases = commands.map((child) => `        ${child.name}) ${nameOf(name, child)} ;;`);
  return [
    `${name}() {
  local state line
  local -a commands=(
${list.join("\n")}
  )
  _arguments -C ${[...specs, "'1: :->command'", "'*:: :->rest'"].join(" \\\n    ")}
  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${cases.join("\n")}
      esac ;;
  esac
}
`,
    ...commands.flatMap((child) => functionsOf(child, nameOf(name, child))),
  ];
}

function nameOf(parent: string, { name }: CommandTree): string {
  return `${parent}_${name.replaceAll("-", "_")}`;
}

function optionSpec({ flags, description, values }: CompletedOption): string {
  const long = flags.find((flag) => flag.startsWith("--")) as string;
  const text = description.replaceAll("[", "(").replaceAll("]", ")").replaceAll(":", "");
  const after =
    values === "none"
      ? ""
      : values === "file"
        ? ":file:_files"
        : `:value:${values === "any" ? " " : `(${values.join(" ")})`}`;
  return quoted(`${long}[${text}]${after}`);
}

function wordSpec(words: CommandTree["words"]): string[] {
  if (words === "none") return [];
  return [quoted(words === "file" ? "1:file:_files" : `1:word:(${words.join(" ")})`)];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
