import type { CommandTree, CompletedOption } from "./command-tree.ts";

/** A completion script for fish. */
export function fishScript(tree: CommandTree): string {
  return `# Completion of loyalty for fish, made by: loyalty completion fish
function __loyalty_at
    set -l words
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or set -a words $word
    end
    test "$words[1..2]" = "$argv"
end
complete -c loyalty -f
${linesOf(tree, []).join("\n")}
`;
}

function linesOf(node: CommandTree, path: readonly string[]): string[] {
  const begin = `complete -c loyalty -n ${quoted(`__loyalty_at ${path.join(" ")}`.trim())}`;
  const words = Array.isArray(node.words) ? node.words.map((word) => `${begin} -a ${quoted(word)}`) : [];
  return [
    ...node.commands.map((child) => `${begin} -a ${child.name} -d ${quoted(child.description)}`),
    ...words,
    ...(node.words === "file" ? [`${begin} -F`] : []),
    ...node.options.map((option) => begin + optionOf(option)),
    ...node.commands.flatMap((child) => linesOf(child, [...path, child.name])),
  ];
}

function optionOf({ flags, description, values }: CompletedOption): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`,
  );
  const after =
    values === "none"
      ? ""
      : values === "file"
        ? " -r -F"
        : values === "any"
          ? " -x"
          : ` -x -a ${quoted(values.join(" "))}`;
  return `${names.join("")}${after} -d ${quoted(description)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
